// A plugin library: loaded from bytes that nobody can change any more, never unloaded; its handlers are looked up when it
// is loaded and found by name. Refuses, before any of it runs, what is no library or written for another ABI. Plain C++,
// no N-API. Safe to use from several threads.
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
  // read whatever becomes of the file, and loads them (RTLD_NOW | RTLD_LOCAL). Returns nullptr when that fails or the ABI
  // is another: `message` is then for the caller, `detail` for the log (the loader's words).
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

  // Find looks for <method><function>Handler in the library itself, not in what it depends on. Waits for nobody.
  Found Find(std::string_view method, std::string_view function) const;

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
  explicit PluginLibrary(std::string name) : name_(std::move(name)) {}

  // Link looks up all that is called in it; false and why when something has no address.
  bool Link(void* handle, const PluginManifest& manifest, std::string* detail);
  // Methods lists those that a function has handlers for, parted by commas.
  std::string Methods(std::string_view function) const;

  const std::string name_;
  service_http_vars* (*http_vars_)() = nullptr;
  service_url_query* (*url_query_)() = nullptr;
  void (*release_)(const char*) = nullptr;
  // By symbol. No address: of a form that is not known.
  std::map<std::string, PluginHandler, std::less<>> handlers_;
};

}  // namespace sql_rest
