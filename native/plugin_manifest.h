// What a plugin library offers, read from its symbols without running any of it: the ABI it was written for and its
// handlers. Plain C++, no N-API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sql_rest {

// A function that answers requests, as its symbol names it.
struct PluginFunction {
  std::string method;
  std::string function;
  std::string symbol;
  // What it declares; SERVICE_FORM_STRING when it declares nothing, and perhaps no form at all.
  std::uint32_t form = 0;

  bool HasKnownForm() const noexcept;
};

struct PluginManifest {
  // As SERVICE_PLUGIN_ABI; none when it is no number that the file holds.
  std::optional<std::uint32_t> abi;
  // Whether it has something to call for each string that it returned.
  bool releases = false;
  // By symbol.
  std::vector<PluginFunction> functions;
  // Why it is no plugin of this service: a sentence about the library, empty when it is one.
  std::string refusal;
  // Symbols that look like handlers and can not be called, a sentence for each.
  std::vector<std::string> problems;
};

// ReadPluginManifest reads the bytes of a library, which are not trusted. Returns false and why when they are none.
bool ReadPluginManifest(std::string_view bytes, PluginManifest* manifest, std::string* problem);

// AbiName is an ABI as people write it: major and minor version with a dot.
std::string AbiName(std::uint32_t abi);

}  // namespace sql_rest
