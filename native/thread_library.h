// Libraries that stay loaded until the calling thread has ended. Node unloads a worker's addons before the last garbage
// collection of the worker, which may still call what an addon has given to V8 for its objects.
#pragma once

#include <napi.h>

namespace sql_rest {

// keepLibrary(path): undefined. Keeps a loaded library; throws Error when none of that path is loaded.
void KeepLibrary(const Napi::CallbackInfo& info);

}  // namespace sql_rest
