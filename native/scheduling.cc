// SCHED_BATCH differs from the default in one respect: a thread that wakes does not preempt the running one.
#include "scheduling.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace sql_rest {

Napi::Value BatchScheduling(const Napi::CallbackInfo& info) {
  const sched_param parameters{};
  return Napi::Boolean::New(info.Env(), sched_setscheduler(0, SCHED_BATCH, &parameters) == 0);
}

Napi::Value LowPriority(const Napi::CallbackInfo& info) {
  // Linux has a nice value for each thread, although POSIX says that it is of the process.
  const id_t thread = static_cast<id_t>(syscall(SYS_gettid));
  return Napi::Boolean::New(info.Env(), setpriority(PRIO_PROCESS, thread, 19) == 0);
}

Napi::Value ThreadCpuTime(const Napi::CallbackInfo& info) {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  constexpr double kNanoseconds = 1e9;
  const double seconds =
      static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / kNanoseconds;
  return Napi::Number::New(info.Env(), seconds);
}

}  // namespace sql_rest
