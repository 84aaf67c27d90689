#include "thread_library.h"

#include <dlfcn.h>

#include <string>
#include <vector>

namespace sql_rest {
namespace {

class Libraries {
 public:
  Libraries() = default;
  ~Libraries() {
    for (void* library : handles_) dlclose(library);
  }
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  void Add(void* library) { handles_.push_back(library); }

 private:
  std::vector<void*> handles_;
};

// Destroyed when the thread ends, and so after the JavaScript engine of a worker.
thread_local Libraries libraries;

}  // namespace

void KeepLibrary(const Napi::CallbackInfo& info) {
  const std::string path = info[0].ToString();
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) throw Napi::Error::New(info.Env(), "no library of that path is loaded");
  libraries.Add(library);
}

}  // namespace sql_rest
