// How the kernel schedules this process. Plain C++ apart from its N-API binding.
#pragma once

#include <napi.h>

namespace sql_rest {

// batchScheduling(): boolean. Puts the calling thread, and whatever it starts from now on (threads and processes), under
// SCHED_BATCH; false where the kernel refuses.
Napi::Value BatchScheduling(const Napi::CallbackInfo& info);

}  // namespace sql_rest
