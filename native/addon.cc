// The addon's JavaScript face: screen, SocketWatcher, Pipeline, Mailbox, PluginPool, httpMethods, releaseBuffer,
// batchScheduling. Loads in the main thread and in any number of workers.
#include <napi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "environment.h"
#include "http_methods.h"
#include "large_value.h"
#include "mailbox.h"
#include "pipeline.h"
#include "plugin_runner.h"
#include "scheduling.h"
#include "socket_watcher.h"
#include "value_screen.h"

namespace sql_rest {
namespace {

// Units read onto the stack; longer values are rare and take an allocation of their own size.
constexpr std::size_t kStackUnits = 512;

// screen(value): boolean. Written on bare N-API, because it runs for every interpolated value. Values are read as
// UTF-16: Latin-1 would fold characters beyond it onto allowed ones.
napi_value Screen(napi_env env, napi_callback_info info) {
  std::size_t count = 1;
  napi_value value = nullptr;
  napi_get_cb_info(env, info, &count, &value, nullptr, nullptr);
  std::array<char16_t, kStackUnits> units;
  std::size_t length = 0;
  if (napi_get_value_string_utf16(env, value, units.data(), units.size(), &length) != napi_ok) {
    napi_throw_type_error(env, nullptr, "screen needs a string");
    return nullptr;
  }
  bool accepted = false;
  if (length < kStackUnits - 1) {
    accepted = Accepts(std::u16string_view(units.data(), length));
  } else if (HasOnlyAllowed(std::u16string_view(units.data(), length))) {
    napi_get_value_string_utf16(env, value, nullptr, 0, &length);
    const auto all = std::make_unique<char16_t[]>(length + 1);
    napi_get_value_string_utf16(env, value, all.get(), length + 1, &length);
    accepted = Accepts(std::u16string_view(all.get(), length));
  }
  napi_value result = nullptr;
  napi_get_boolean(env, accepted, &result);
  return result;
}

// The methods that plugins have functions for, as an array of strings.
Napi::Array HttpMethods(Napi::Env env) {
  auto methods = Napi::Array::New(env);
  std::uint32_t at = 0;
  for (const std::string_view method : kHttpMethods)
    methods[at++] = Napi::String::New(env, method.data(), method.size());
  return methods;
}

Napi::Object Initialize(Napi::Env env, Napi::Object exports) {
  if (Environment::Enter(env) == nullptr) return exports;
  napi_value screen = nullptr;
  napi_create_function(env, "screen", NAPI_AUTO_LENGTH, Screen, nullptr, &screen);
  exports.Set("screen", Napi::Function(env, screen));
  exports.Set("SocketWatcher", SocketWatcher::Define(env));
  exports.Set("Pipeline", Pipeline::Define(env));
  exports.Set("Mailbox", Mailbox::Define(env));
  exports.Set("PluginPool", PluginRunner::Define(env));
  exports.Set("httpMethods", HttpMethods(env));
  exports.Set("releaseBuffer", Napi::Function::New(env, ReleaseBuffer, "releaseBuffer"));
  LargeValue::Define(env);
  exports.Set("batchScheduling", Napi::Function::New(env, BatchScheduling, "batchScheduling"));
  return exports;
}

}  // namespace
}  // namespace sql_rest

static Napi::Object InitializeAddon(Napi::Env env, Napi::Object exports) {
  return sql_rest::Initialize(env, exports);
}

NODE_API_MODULE(sql_rest_service, InitializeAddon)
