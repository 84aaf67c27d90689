#include "plugin_manifest.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "elf_symbols.h"
#include "http_methods.h"
#include "include/service_plugin.h"
#include "utf8.h"

namespace sql_rest {

namespace {

constexpr std::string_view kHandler = "Handler";
constexpr std::string_view kForm = "Form";
// Bytes, as for every name in a path.
constexpr std::size_t kMaxFunctionName = 63;

using Symbols = std::map<std::string_view, const ElfSymbol*>;

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// Split splits a symbol into method and function; false when it is not named like a handler. If two methods match, the
// longer one is used.
bool Split(std::string_view symbol, std::string_view* method, std::string_view* function) {
  if (!EndsWith(symbol, kHandler)) return false;
  *method = {};
  for (const std::string_view known : kHttpMethods) {
    if (known.size() > method->size() && symbol.substr(0, known.size()) == known) *method = known;
  }
  if (method->empty() || symbol.size() < method->size() + kHandler.size()) return false;
  *function = symbol.substr(method->size(), symbol.size() - method->size() - kHandler.size());
  return true;
}

// Any character beyond ASCII passes: compilers use only letters, and the HTTP process checks paths itself.
bool CanBeInPath(std::string_view function) {
  if (function.empty() || function.size() > kMaxFunctionName || !IsUtf8(function)) return false;
  return std::all_of(function.begin(), function.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-' || static_cast<unsigned char>(c) >= 0x80;
  });
}

// CppName returns the function name in a mangled C++ symbol (_Z, its length, the name), empty for other symbols.
std::string_view CppName(std::string_view symbol) {
  if (symbol.substr(0, 2) != "_Z") return {};
  std::size_t length = 0;
  std::size_t at = 2;
  while (at < symbol.size() && symbol[at] >= '0' && symbol[at] <= '9' && length < symbol.size())
    length = length * 10 + static_cast<std::size_t>(symbol[at++] - '0');
  return symbol.size() - at < length ? std::string_view() : symbol.substr(at, length);
}

bool IsFunction(const Symbols& symbols, std::string_view name) {
  const auto found = symbols.find(name);
  return found != symbols.end() && found->second->kind == ElfSymbol::Kind::kFunction;
}

std::string Rejection(const Symbols& symbols, const std::optional<std::uint32_t>& abi) {
  const std::string supported = AbiName(SERVICE_PLUGIN_ABI);
  if (symbols.count("service_plugin_abi") == 0)
    return "it has no service_plugin_abi, which SERVICE_PLUGIN of service_plugin.h defines";
  if (!abi) return "its service_plugin_abi is no number of 32 bits";
  if (*abi >> 16 != SERVICE_PLUGIN_ABI_MAJOR)
    return "it is written for ABI " + AbiName(*abi) + ", this service has " + supported;
  for (const char* name : {"service_plugin_http_vars", "service_plugin_url_query"}) {
    if (!IsFunction(symbols, name))
      return std::string("it has no function ") + name +
             ", which SERVICE_PLUGIN of service_plugin.h defines";
  }
  return {};
}

// Form returns the declared form of a handler; 0 when the declaration has the wrong size.
std::uint32_t Form(const Symbols& symbols, std::string_view handler) {
  const auto found = symbols.find(std::string(handler).append(kForm));
  return found == symbols.end() ? SERVICE_FORM_STRING : found->second->number.value_or(0);
}

void ReadHandler(const Symbols& symbols, const ElfSymbol& symbol, PluginManifest* manifest) {
  std::string_view method;
  std::string_view function;
  const std::string name(symbol.name);
  if (Split(CppName(symbol.name), &method, &function)) {
    manifest->problems.push_back(name +
                                 " has a C++ name: begin its definition with SERVICE_HANDLER");
  } else if (EndsWith(name, kForm) &&
             Split(symbol.name.substr(0, name.size() - kForm.size()), &method, &function) &&
             symbols.count(symbol.name.substr(0, name.size() - kForm.size())) == 0) {
    manifest->problems.push_back(name + " declares the form of a function that is not there");
  }
  if (!Split(symbol.name, &method, &function)) return;
  if (symbol.kind != ElfSymbol::Kind::kFunction) {
    manifest->problems.push_back(name + " is no function");
  } else if (!CanBeInPath(function)) {
    manifest->problems.push_back(name + " cannot be called: what is between method and " +
                                 std::string(kHandler) + " is no name of 1 to 63 bytes");
  } else {
    const std::uint32_t form = Form(symbols, symbol.name);
    PluginFunction handler{std::string(method), std::string(function), name, form};
    if (!handler.HasKnownForm()) manifest->problems.push_back(name + " declares no known form");
    manifest->functions.push_back(std::move(handler));
  }
}

}  // namespace

bool PluginFunction::HasKnownForm() const noexcept {
  return form == SERVICE_FORM_STRING || form == SERVICE_FORM_STATUS ||
         form == SERVICE_FORM_RESPONSE;
}

bool ReadPluginManifest(std::string_view bytes, PluginManifest* manifest, std::string* problem) {
  std::vector<ElfSymbol> list;
  if (!ReadElfSymbols(bytes, &list, problem)) return false;
  Symbols symbols;
  for (const ElfSymbol& symbol : list) symbols.emplace(symbol.name, &symbol);
  const auto abi = symbols.find("service_plugin_abi");
  if (abi != symbols.end()) manifest->abi = abi->second->number;
  manifest->releases = IsFunction(symbols, "service_plugin_release");
  manifest->rejection = Rejection(symbols, manifest->abi);
  for (const auto& [name, symbol] : symbols) ReadHandler(symbols, *symbol, manifest);
  return true;
}

std::string AbiName(std::uint32_t abi) {
  return std::to_string(abi >> 16) + "." + std::to_string(abi & 0xFFFF);
}

}  // namespace sql_rest
