// Memory that a thread no longer needs, returned to the kernel.
#pragma once

#include <napi.h>

namespace sql_rest {

// releaseMemory(): undefined. Collects the garbage of the calling thread's heap, shrinks the heap, and returns the free
// pages of all of malloc's arenas. Stops the thread for some tens of milliseconds.
void ReleaseMemory(const Napi::CallbackInfo& info);

}  // namespace sql_rest
