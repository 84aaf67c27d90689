// libFuzzer target: no input causes a fault, and each manifest is consistent.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../plugin_manifest.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  sql_rest::PluginManifest manifest;
  std::string problem;
  if (!sql_rest::ReadPluginManifest(bytes, &manifest, &problem)) {
    Check(!problem.empty());
    return 0;
  }
  Check(manifest.abi || !manifest.rejection.empty());
  for (const sql_rest::PluginFunction& function : manifest.functions) {
    Check(function.symbol == function.method + function.function + "Handler");
    Check(!function.function.empty() && function.function.size() <= 63);
  }
  return 0;
}
