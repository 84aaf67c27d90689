// The exports of the addon, typed in src/native/addon.ts. It loads in the main thread and in any number of workers.
#include <napi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "environment.h"
#include "http_methods.h"
#include "large_value.h"
#include "log_writer.h"
#include "mailbox.h"
#include "memory.h"
#include "pipeline.h"
#include "plugin_pool_binding.h"
#include "response_ring.h"
#include "scheduling.h"
#include "shared_memory_binding.h"
#include "socket_watcher.h"
#include "thread_library.h"
#include "value_screen.h"

namespace sql_rest {
namespace {

// UTF-16 units read onto the stack; longer values are rare and are allocated.
constexpr std::size_t kStackUnits = 512;

// screen(value): boolean. Plain N-API, because it runs for every interpolated value. Values are read as UTF-16:
// conversion to Latin-1 would map other characters to allowed ones.
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

Napi::Array HttpMethods(Napi::Env env) {
  auto methods = Napi::Array::New(env);
  std::uint32_t at = 0;
  for (const std::string_view method : kHttpMethods)
    methods[at++] = Napi::String::New(env, method.data(), method.size());
  return methods;
}

// Bytes of a line read onto the stack; longer lines are allocated.
constexpr std::size_t kStackLine = 4096;

// appendLog(line): undefined. Plain N-API, because it runs for every request when the access log is on.
napi_value AppendLog(napi_env env, napi_callback_info info) {
  std::size_t count = 1;
  napi_value line = nullptr;
  napi_get_cb_info(env, info, &count, &line, nullptr, nullptr);
  std::array<char, kStackLine> text;
  std::size_t length = 0;
  if (napi_get_value_string_utf8(env, line, text.data(), text.size(), &length) != napi_ok) {
    napi_throw_type_error(env, nullptr, "appendLog needs a string");
    return nullptr;
  }
  // A character that does not fit is omitted; it has 4 bytes at most.
  if (length + 4 < text.size()) {
    LogWriter::Get().Append({text.data(), length});
  } else {
    napi_get_value_string_utf8(env, line, nullptr, 0, &length);
    std::string all(length + 1, '\0');
    napi_get_value_string_utf8(env, line, all.data(), all.size(), &length);
    LogWriter::Get().Append({all.data(), length});
  }
  return nullptr;
}

// setLogNotice(before, between, after, clock): undefined. See LogNotice.
void SetLogNotice(const Napi::CallbackInfo& info) {
  LogWriter::Get().SetNotice(
      {info[0].ToString(), info[1].ToString(), info[2].ToString(), info[3].ToBoolean().Value()});
}

// droppedLogLines(): number. How many lines of this process were dropped so far.
Napi::Value DroppedLogLines(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(LogWriter::Get().DroppedLines()));
}

Napi::Object Initialize(Napi::Env env, Napi::Object exports) {
  if (Environment::Enter(env) == nullptr) return exports;
  napi_value screen = nullptr;
  napi_create_function(env, "screen", NAPI_AUTO_LENGTH, Screen, nullptr, &screen);
  exports.Set("screen", Napi::Function(env, screen));
  napi_value append_log = nullptr;
  napi_create_function(env, "appendLog", NAPI_AUTO_LENGTH, AppendLog, nullptr, &append_log);
  exports.Set("appendLog", Napi::Function(env, append_log));
  exports.Set("droppedLogLines", Napi::Function::New(env, DroppedLogLines, "droppedLogLines"));
  exports.Set("setLogNotice", Napi::Function::New(env, SetLogNotice, "setLogNotice"));
  exports.Set("SocketWatcher", SocketWatcher::Define(env));
  exports.Set("Pipeline", Pipeline::Define(env));
  exports.Set("Mailbox", Mailbox::Define(env));
  exports.Set("ResponseRing", ResponseRing::Define(env));
  exports.Set("PluginPool", PluginPoolBinding::Define(env));
  exports.Set("httpMethods", HttpMethods(env));
  exports.Set("releaseBuffer", Napi::Function::New(env, ReleaseBuffer, "releaseBuffer"));
  LargeValue::Define(env);
  exports.Set("lowPriority", Napi::Function::New(env, LowPriority, "lowPriority"));
  exports.Set("threadCpuTime", Napi::Function::New(env, ThreadCpuTime, "threadCpuTime"));
  exports.Set("batchScheduling", Napi::Function::New(env, BatchScheduling, "batchScheduling"));
  exports.Set("releaseMemory", Napi::Function::New(env, ReleaseMemory, "releaseMemory"));
  exports.Set("keepLibrary", Napi::Function::New(env, KeepLibrary, "keepLibrary"));
  exports.Set("createSharedMemory",
              Napi::Function::New(env, CreateSharedMemoryBinding, "createSharedMemory"));
  exports.Set("mapSharedMemory",
              Napi::Function::New(env, MapSharedMemoryBinding, "mapSharedMemory"));
  return exports;
}

}  // namespace
}  // namespace sql_rest

static Napi::Object InitializeAddon(Napi::Env env, Napi::Object exports) {
  return sql_rest::Initialize(env, exports);
}

NODE_API_MODULE(sql_rest_service, InitializeAddon)
