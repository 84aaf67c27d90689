// A plugin library: loaded from sealed memory and never unloaded. All handlers are resolved when it is loaded. A file
// that is not a library, or has another ABI, is rejected before any of its code runs. Plain C++, no N-API. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "include/service_plugin.h"
#include "plugin_manifest.h"

namespace sql_rest {

class PluginLibrary;

enum class PluginForm : std::uint32_t {
  kString = SERVICE_FORM_STRING,
  kStatus = SERVICE_FORM_STATUS,
  kResponse = SERVICE_FORM_RESPONSE,
};

// PluginHandler is a request handler of a library.
struct PluginHandler {
  const PluginLibrary* library = nullptr;
  void* address = nullptr;
  PluginForm form = PluginForm::kString;
};

class PluginLibrary {
 public:
  // Load copies the bytes into sealed memory, so that later changes of the file have no effect, and loads them
  // (RTLD_NOW | RTLD_LOCAL). Returns nullptr when that fails or the ABI differs; `message` is then for the caller,
  // `detail` (the loader's message) for the log.
  static std::unique_ptr<PluginLibrary> Load(const std::string& name,
                                             const std::vector<char>& bytes, std::string* message,
                                             std::string* detail);

  enum class Lookup { kFound, kNotFound, kUndeclaredForm };
  struct Found {
    Lookup lookup = Lookup::kNotFound;
    PluginHandler handler;
    // Unless found, a message for the caller, which lists the methods that the function has handlers for.
    std::string message;
  };

  // Find looks up <method><function>Handler in the library itself, not in its dependencies. Never blocks.
  Found Find(std::string_view method, std::string_view function) const;

  const std::string& name() const noexcept { return name_; }
  // The library's variables of the calling thread; NULL is possible.
  service_http_vars* http_vars() const { return http_vars_(); }
  service_url_query* url_query() const { return url_query_(); }
  // Release passes a returned string to service_plugin_release, if the library has one.
  void Release(const char* body) const {
    if (release_ != nullptr) release_(body);
  }

  PluginLibrary(const PluginLibrary&) = delete;
  PluginLibrary& operator=(const PluginLibrary&) = delete;

 private:
  explicit PluginLibrary(std::string name) : name_(std::move(name)) {}

  // Link resolves all functions that are called; false, with the detail, when one has no address.
  bool Link(void* handle, const PluginManifest& manifest, std::string* detail);
  // Methods lists the methods that a function has handlers for, separated by commas.
  std::string Methods(std::string_view function) const;

  const std::string name_;
  service_http_vars* (*http_vars_)() = nullptr;
  service_url_query* (*url_query_)() = nullptr;
  void (*release_)(const char*) = nullptr;
  // By symbol. Without an address when the form is unknown.
  std::map<std::string, PluginHandler, std::less<>> handlers_;
};

}  // namespace sql_rest
