#include "plugin_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

#include "http_methods.h"

namespace sql_rest {

namespace {

// MFD_EXEC: in kernels since 6.3; older headers do not define it.
constexpr unsigned kMfdExec = 0x0010U;

// memfd_create accepts names of up to 249 bytes.
constexpr std::size_t kMaxMemoryName = 200;

// The smallest sizes of a library's variables: the members of ABI 1.0. Later members may be filled only when the size
// that the library states includes them.
constexpr std::size_t kVarsSize = offsetof(service_http_vars, count) + sizeof(std::size_t);
constexpr std::size_t kQuerySize = offsetof(service_url_query, count) + sizeof(std::size_t);

// SealedMemory is an anonymous file (memfd) that cannot be changed after it is sealed.
class SealedMemory {
 public:
  ~SealedMemory() {
    if (fd_ >= 0) ::close(fd_);
  }

  // Debuggers show the name. False, with the detail, when it fails.
  bool Fill(const std::string& name, const std::vector<char>& bytes, std::string* detail) {
    const std::string shown = name.substr(0, kMaxMemoryName);
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    fd_ = ::memfd_create(shown.c_str(), kFlags | kMfdExec);
    if (fd_ < 0 && errno == EINVAL) fd_ = ::memfd_create(shown.c_str(), kFlags);
    if (fd_ < 0) return Fail("memfd_create", detail);
    for (std::size_t written = 0; written < bytes.size();) {
      const ssize_t some = ::write(fd_, bytes.data() + written, bytes.size() - written);
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) return Fail("write", detail);
      written += static_cast<std::size_t>(some);
    }
    constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    return ::fcntl(fd_, F_ADD_SEALS, kSeals) == 0 || Fail("fcntl", detail);
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

  // Renumber moves it to a descriptor whose path the loader has not loaded yet. The loader identifies libraries by path
  // and would return the earlier one. Descriptors of loaded libraries stay open (Keep), but a plugin may close them.
  bool Renumber(std::string* detail) {
    while (void* known = ::dlopen(path().c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
      ::dlclose(known);
      const int next = ::fcntl(fd_, F_DUPFD_CLOEXEC, fd_ + 1);
      if (next < 0) return Fail("fcntl", detail);
      ::close(fd_);
      fd_ = next;
    }
    return true;
  }

  // Keep leaves the descriptor open for ever.
  void Keep() noexcept { fd_ = -1; }

 private:
  static bool Fail(const char* call, std::string* detail) {
    *detail = std::string("no memory for its bytes: ") + call + ": " + std::strerror(errno);
    return false;
  }

  int fd_ = -1;
};

// LoaderError returns the loader's message, with the path replaced by the library's name.
std::string LoaderError(const std::string& path, const std::string& name) {
  const char* message = ::dlerror();
  std::string error = message == nullptr ? "unknown error" : message;
  for (std::size_t at = 0; (at = error.find(path, at)) != std::string::npos; at += name.size())
    error.replace(at, path.size(), name);
  return error;
}

bool IsMethod(std::string_view method) {
  return std::find(std::begin(kHttpMethods), std::end(kHttpMethods), method) !=
         std::end(kHttpMethods);
}

template <typename Function>
bool FindSymbol(void* handle, const std::string& symbol, Function* function, std::string* detail) {
  void* address = ::dlsym(handle, symbol.c_str());
  if (address == nullptr) *detail = symbol + " has no address";
  // C++ has no portable cast from a data pointer to a function pointer.
  std::memcpy(function, &address, sizeof(address));
  return address != nullptr;
}

}  // namespace

std::unique_ptr<PluginLibrary> PluginLibrary::Load(const std::string& name,
                                                   const std::vector<char>& bytes,
                                                   std::string* message, std::string* detail) {
  const std::string file = name + ".so";
  *message = "plugin " + name + " could not be loaded, check your service logs";
  PluginManifest manifest;
  if (!ReadPluginManifest({bytes.data(), bytes.size()}, &manifest, detail)) {
    detail->insert(0, file + ": ");
    return nullptr;
  }
  if (!manifest.rejection.empty()) {
    *message = "plugin " + name + " could not be loaded: " + manifest.rejection;
    *detail = file + ": " + manifest.rejection;
    return nullptr;
  }
  SealedMemory memory;
  if (!memory.Fill(file, bytes, detail) || !memory.Renumber(detail)) return nullptr;
  void* handle = ::dlopen(memory.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *detail = LoaderError(memory.path(), file);
    return nullptr;
  }
  memory.Keep();
  std::unique_ptr<PluginLibrary> library(new PluginLibrary(name));
  if (!library->Link(handle, manifest, detail)) {
    detail->insert(0, file + ": ");
    return nullptr;
  }
  message->clear();
  return library;
}

// dlsym also searches dependencies, but finds the library's own symbols first, and the manifest lists only those.
bool PluginLibrary::Link(void* handle, const PluginManifest& manifest, std::string* detail) {
  if (!FindSymbol(handle, "service_plugin_http_vars", &http_vars_, detail) ||
      !FindSymbol(handle, "service_plugin_url_query", &url_query_, detail) ||
      (manifest.releases && !FindSymbol(handle, "service_plugin_release", &release_, detail)))
    return false;
  for (const PluginFunction& function : manifest.functions) {
    PluginHandler handler;
    handler.library = this;
    if (function.HasKnownForm()) {
      handler.form = static_cast<PluginForm>(function.form);
      if (!FindSymbol(handle, function.symbol, &handler.address, detail)) return false;
    }
    handlers_.emplace(function.symbol, handler);
  }
  const service_http_vars* vars = http_vars();
  const service_url_query* query = url_query();
  if (vars != nullptr && vars->size >= kVarsSize && query != nullptr && query->size >= kQuerySize)
    return true;
  *detail = "its HTTPVars or URLQuery is missing or too small";
  return false;
}

PluginLibrary::Found PluginLibrary::Find(std::string_view method, std::string_view function) const {
  Found found;
  // A wrong method could form the symbol of another handler: GE and TEcho.
  const auto at = IsMethod(method)
                      ? handlers_.find(std::string(method).append(function).append("Handler"))
                      : handlers_.end();
  if (at != handlers_.end() && at->second.address != nullptr) {
    found.lookup = Lookup::kFound;
    found.handler = at->second;
    return found;
  }
  const std::string what = "function " + std::string(function) + " of plugin " + name_;
  if (at != handlers_.end()) {
    found.lookup = Lookup::kUndeclaredForm;
    found.message = what + " declares no known form";
    return found;
  }
  const std::string methods = Methods(function);
  if (methods.empty()) {
    found.message = "plugin " + name_ + " has no function " + std::string(function);
  } else {
    found.message = what + " has no handler for " + std::string(method) + ", only for " + methods;
  }
  return found;
}

std::string PluginLibrary::Methods(std::string_view function) const {
  std::string methods;
  for (const std::string_view method : kHttpMethods) {
    if (handlers_.find(std::string(method).append(function).append("Handler")) == handlers_.end())
      continue;
    methods.append(methods.empty() ? "" : ", ").append(method);
  }
  return methods;
}

}  // namespace sql_rest
