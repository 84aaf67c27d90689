// The manifest of a plugin library: its ABI version and handlers, read from its symbols without running its code. Plain
// C++, no N-API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sql_rest {

// A request handler, as declared by its symbol.
struct PluginFunction {
  std::string method;
  std::string function;
  std::string symbol;
  // The declared form, which may be unknown; SERVICE_FORM_STRING without a declaration.
  std::uint32_t form = 0;

  bool HasKnownForm() const noexcept;
};

struct PluginManifest {
  // As SERVICE_PLUGIN_ABI; empty when the file has no such 32-bit constant.
  std::optional<std::uint32_t> abi;
  // Whether it defines service_plugin_release.
  bool releases = false;
  // Sorted by symbol.
  std::vector<PluginFunction> functions;
  // Why the service cannot load it, a clause about the library; empty when it can.
  std::string rejection;
  // One sentence for each symbol that looks like a handler but cannot be called.
  std::vector<std::string> problems;
};

// ReadPluginManifest reads untrusted bytes. Returns false, with the problem, when they are not a shared library.
bool ReadPluginManifest(std::string_view bytes, PluginManifest* manifest, std::string* problem);

// AbiName formats an ABI version as "major.minor".
std::string AbiName(std::uint32_t abi);

}  // namespace sql_rest
