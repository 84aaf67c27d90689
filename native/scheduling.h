// How the kernel schedules this process and its threads.
#pragma once

#include <napi.h>

namespace sql_rest {

// batchScheduling(): boolean. Puts the calling thread, and the threads and processes it starts later, under
// SCHED_BATCH; false when the kernel rejects it.
Napi::Value BatchScheduling(const Napi::CallbackInfo& info);

// lowPriority(): boolean. Gives the calling thread, and the threads it starts later, the least share of busy cores; false
// when the kernel rejects it.
Napi::Value LowPriority(const Napi::CallbackInfo& info);

// threadCpuTime(): number. Seconds of CPU that the calling thread has used.
Napi::Value ThreadCpuTime(const Napi::CallbackInfo& info);

}  // namespace sql_rest
