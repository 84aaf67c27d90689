// V8 shrinks a heap by itself only after garbage collections that an idle service never reaches, and gc() of --expose-gc
// collects without shrinking. Node-API has no call for it, so V8's own is looked up by name: it takes and returns nothing
// that depends on V8's version. A Node without it keeps its heap as it is.
#include "memory.h"

#include <dlfcn.h>
#include <malloc.h>

namespace sql_rest {
namespace {

// v8::Isolate::GetCurrent() and v8::Isolate::LowMemoryNotification().
using GetCurrent = void* (*)();
using LowMemoryNotification = void (*)(void* isolate);

void ShrinkHeap() {
  const auto current =
      reinterpret_cast<GetCurrent>(dlsym(RTLD_DEFAULT, "_ZN2v87Isolate10GetCurrentEv"));
  const auto notify = reinterpret_cast<LowMemoryNotification>(
      dlsym(RTLD_DEFAULT, "_ZN2v87Isolate21LowMemoryNotificationEv"));
  if (current != nullptr && notify != nullptr) notify(current());
}

}  // namespace

void ReleaseMemory(const Napi::CallbackInfo& /*info*/) {
  ShrinkHeap();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace sql_rest
