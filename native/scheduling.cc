// SCHED_BATCH differs from the default in one respect: a thread that wakes does not preempt the running one.
#include "scheduling.h"

#include <sched.h>

namespace sql_rest {

Napi::Value BatchScheduling(const Napi::CallbackInfo& info) {
  const sched_param parameters{};
  return Napi::Boolean::New(info.Env(), sched_setscheduler(0, SCHED_BATCH, &parameters) == 0);
}

}  // namespace sql_rest
