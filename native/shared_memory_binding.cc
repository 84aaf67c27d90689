// An ArrayBuffer and not a SharedArrayBuffer, because Node-API cannot make one of those over given memory. Each mapping has
// an address of its own, so that no two ArrayBuffers have the same one.
#include "shared_memory_binding.h"

#include <cstdint>
#include <string>

#include "shared_memory.h"

namespace sql_rest {
namespace {

// Reads a whole number that is not negative; false when the argument is another value.
bool ReadSize(const Napi::Value& value, std::size_t* size) {
  if (!value.IsNumber()) return false;
  const double number = value.As<Napi::Number>().DoubleValue();
  constexpr double kMost = 1LL << 40;
  if (!(number >= 0 && number <= kMost)) return false;
  *size = static_cast<std::size_t>(number);
  return static_cast<double>(*size) == number;
}

Napi::Value Throw(Napi::Env env, const std::string& message) {
  Napi::Error::New(env, message).ThrowAsJavaScriptException();
  return env.Undefined();
}

void Unmap(napi_env, void* memory, void* bytes) {
  UnmapSharedMemory(memory, reinterpret_cast<std::uintptr_t>(bytes));
}

}  // namespace

Napi::Value CreateSharedMemoryBinding(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::size_t bytes = 0;
  if (!ReadSize(info[0], &bytes)) return Throw(env, "createSharedMemory needs a size");
  std::string error;
  const int fd = CreateSharedMemory(bytes, &error);
  return fd < 0 ? Throw(env, error) : Napi::Number::New(env, fd);
}

Napi::Value MapSharedMemoryBinding(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::size_t fd = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  if (!ReadSize(info[0], &fd) || fd > INT32_MAX || !ReadSize(info[1], &offset) ||
      !ReadSize(info[2], &bytes))
    return Throw(env, "mapSharedMemory needs a descriptor, an offset and a size");
  std::string error;
  void* const memory = MapSharedMemory(static_cast<int>(fd), offset, bytes, &error);
  if (memory == nullptr) return Throw(env, error);
  napi_value buffer = nullptr;
  void* const hint = reinterpret_cast<void*>(static_cast<std::uintptr_t>(bytes));
  if (napi_create_external_arraybuffer(env, memory, bytes, Unmap, hint, &buffer) != napi_ok) {
    UnmapSharedMemory(memory, bytes);
    return Throw(env, "this Node has no memory of others in an ArrayBuffer");
  }
  return Napi::Value(env, buffer);
}

}  // namespace sql_rest
