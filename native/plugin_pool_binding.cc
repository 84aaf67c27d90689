// The pool's threads do not use JavaScript: they add records, and the first record wakes the loop of the thread that
// created the pool.
#include "plugin_pool_binding.h"

#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sql_rest {

// PluginPoolWake wakes the loop from the pool's threads. Never deleted, as the pool.
struct PluginPoolWake {
  std::mutex mutex;
  // nullptr once the binding is closed.
  LoopWaker* waker = nullptr;

  void operator()() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (waker != nullptr) waker->Wake();
  }
};

namespace {

std::u16string Text(Napi::Value value) {
  std::size_t length = 0;
  napi_get_value_string_utf16(value.Env(), value, nullptr, 0, &length);
  std::u16string text(length, u'\0');
  napi_get_value_string_utf16(value.Env(), value, text.data(), length + 1, nullptr);
  return text;
}

// ExitAtOnce prevents the destructors of plugins from running at exit, because their calls may still run.
void ExitAtOnce(int status, void*) { _exit(status); }

}  // namespace

Napi::Function PluginPoolBinding::Define(Napi::Env env) {
  return DefineClass(env, "PluginPool",
                     {
                         InstanceMethod<&PluginPoolBinding::Calls>("calls"),
                         InstanceMethod<&PluginPoolBinding::Library>("library"),
                         InstanceMethod<&PluginPoolBinding::Abandon>("abandon"),
                         InstanceMethod<&PluginPoolBinding::Close>("close"),
                     });
}

PluginPoolBinding::PluginPoolBinding(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (IsEmpty()) return;  // the thread is being terminated
  const Napi::Env env = info.Env();
  if (!info[0].IsObject() || !info[1].IsFunction()) {
    Napi::TypeError::New(env, "PluginPool needs options and a function")
        .ThrowAsJavaScriptException();
    return;
  }
  const auto settings = info[0].As<Napi::Object>();
  PluginPoolOptions options;
  options.threads = settings.Get("threads").ToNumber().Uint32Value();
  options.timeout = std::chrono::milliseconds(settings.Get("timeout").ToNumber().Int64Value());
  options.max_response =
      static_cast<std::size_t>(settings.Get("maxResponse").ToNumber().Int64Value());
  waker_ = LoopWaker::Make(Environment::Current(), this);
  if (waker_ == nullptr) {
    Napi::Error::New(env, "this thread is ending, or has no descriptor left")
        .ThrowAsJavaScriptException();
    return;
  }
  wake_ = new PluginPoolWake;
  wake_->waker = waker_;
  records_ = new PluginRecordQueue([wake = wake_] { (*wake)(); });
  pool_ = new PluginPool(std::move(options), records_);
  callback_ = Napi::Persistent(info[1].As<Napi::Function>());
  context_ = std::make_unique<Napi::AsyncContext>(env, "PluginPool");
  Ref();  // until it is closed
}

PluginPoolBinding::~PluginPoolBinding() {
  if (waker_ != nullptr) waker_->Close();
}

void PluginPoolBinding::Closing() {
  const std::lock_guard<std::mutex> lock(wake_->mutex);
  wake_->waker = nullptr;
}

void PluginPoolBinding::Calls(const Napi::CallbackInfo& info) {
  std::vector<PluginCall> calls;
  const bool valid = info[0].IsString() && DecodeCalls(Text(info[0]), &calls) &&
                     (info[1].IsUndefined() || (info[1].IsTypedArray() && calls.size() == 1));
  if (!valid) {
    Napi::TypeError::New(info.Env(), "calls needs packed calls, and a body only with a single one")
        .ThrowAsJavaScriptException();
    return;
  }
  if (!info[1].IsUndefined()) {
    const auto body = info[1].As<Napi::Uint8Array>();
    PluginCall& call = calls.front();
    call.body_memory.reset(new char[body.ByteLength()]);
    // An empty body may have no address, for which memcpy is undefined.
    std::copy_n(body.Data(), body.ByteLength(), call.body_memory.get());
    call.body = std::string_view(call.body_memory.get(), body.ByteLength());
  }
  pool_->Push(std::move(calls));
}

void PluginPoolBinding::Library(const Napi::CallbackInfo& info) {
  if (!info[0].IsString() || !info[1].IsTypedArray()) {
    Napi::TypeError::New(info.Env(), "library needs a name and bytes").ThrowAsJavaScriptException();
    return;
  }
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const auto* const begin = reinterpret_cast<const char*>(bytes.Data());
  pool_->AddLibrary(ToUtf8(Text(info[0])), std::vector<char>(begin, begin + bytes.ByteLength()));
}

void PluginPoolBinding::Abandon(const Napi::CallbackInfo& info) {
  if (info[0].IsString()) {
    pool_->Abandon(DecodeIds(Text(info[0])));
  } else {
    Napi::TypeError::New(info.Env(), "abandon needs packed ids").ThrowAsJavaScriptException();
  }
}

void PluginPoolBinding::Close(const Napi::CallbackInfo&) {
  if (waker_ == nullptr) return;
  waker_->Close();
  waker_ = nullptr;
  callback_.Reset();
  Unref();
  // Registered after the destructors of loaded plugins, so that it runs before them.
  on_exit(ExitAtOnce, nullptr);
}

void PluginPoolBinding::Woken() {
  const Napi::Env env = Env();
  const Napi::HandleScope scope(env);
  const std::string records = records_->Take();
  if (records.empty()) return;
  auto buffer = Napi::ArrayBuffer::New(env, records.size());
  if (buffer.IsEmpty()) return;  // the thread is being terminated
  std::memcpy(buffer.Data(), records.data(), records.size());
  const napi_value argument = buffer;
  napi_value result = nullptr;
  const napi_status status =
      napi_make_callback(env, *context_, Value(), callback_.Value(), 1, &argument, &result);
  if (status != napi_pending_exception) return;
  napi_value error = nullptr;
  // On a thread that is being terminated, the exception is the termination, which cannot be fetched.
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

}  // namespace sql_rest
