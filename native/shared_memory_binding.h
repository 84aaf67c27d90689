// Shared memory for JavaScript.
#pragma once

#include <napi.h>

namespace sql_rest {

// createSharedMemory(bytes): number. See CreateSharedMemory; throws.
Napi::Value CreateSharedMemoryBinding(const Napi::CallbackInfo& info);

// mapSharedMemory(fd, offset, bytes): ArrayBuffer, which is unmapped when it is collected. See MapSharedMemory; throws.
Napi::Value MapSharedMemoryBinding(const Napi::CallbackInfo& info);

}  // namespace sql_rest
