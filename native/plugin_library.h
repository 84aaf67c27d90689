// A plugin library: loaded from bytes that nobody can change any more, never unloaded; its handlers found by name and
// remembered. Plain C++, no N-API. Safe to use from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "include/service_plugin.h"

namespace sql_rest {

class PluginLibrary;

enum class PluginForm : std::uint32_t {
  kString = SERVICE_FORM_STRING,
  kStatus = SERVICE_FORM_STATUS,
  kResponse = SERVICE_FORM_RESPONSE,
};

// PluginHandler is a function of a library that answers requests.
struct PluginHandler {
  const PluginLibrary* library = nullptr;
  void* address = nullptr;
  PluginForm form = PluginForm::kString;
};

// PluginBytes is what a library's file held. Shared, because it is kept until it is loaded.
using PluginBytes = std::shared_ptr<const std::vector<char>>;

class PluginLibrary {
 public:
  // Load writes the bytes into sealed memory that has no name in the file system, so that the loader keeps what was
  // read whatever becomes of the file, and loads them (RTLD_NOW | RTLD_LOCAL). Returns nullptr when that fails or the ABI is
  // another: `message` is then for the caller, `detail` for the log (the loader's words).
  static std::unique_ptr<PluginLibrary> Load(const std::string& name,
                                             const std::vector<char>& bytes, std::string* message,
                                             std::string* detail);

  // How a handler was looked for.
  enum class Lookup { kFound, kNotFound, kUndeclaredForm };
  struct Found {
    Lookup lookup = Lookup::kNotFound;
    PluginHandler handler;
    // For the caller, unless it was found: tells whether the function has handlers for other methods.
    std::string message;
  };

  // Find looks for <method><function>Handler in the library itself, not in what it depends on.
  Found Find(std::string_view method, std::string_view function);

  const std::string& name() const noexcept { return name_; }
  // The variables of the calling thread.
  service_http_vars* http_vars() const { return http_vars_(); }
  service_url_query* url_query() const { return url_query_(); }
  // Release gives a returned string back to the library, if it wants it.
  void Release(const char* body) const {
    if (release_ != nullptr) release_(body);
  }

  PluginLibrary(const PluginLibrary&) = delete;
  PluginLibrary& operator=(const PluginLibrary&) = delete;

 private:
  PluginLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}

  const std::string name_;
  void* const handle_;
  service_http_vars* (*http_vars_)() = nullptr;
  service_url_query* (*url_query_)() = nullptr;
  void (*release_)(const char*) = nullptr;
  std::shared_mutex mutex_;
  // By symbol; bounded by the handlers that the library has.
  std::unordered_map<std::string, PluginHandler> handlers_;
};

}  // namespace sql_rest
