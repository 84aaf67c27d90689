// Each thread has its own constructor, because a JavaScript class belongs to one environment.
#include "large_value.h"

#include <utility>

namespace sql_rest {
namespace {

// Passes a result to the constructor, which JavaScript calls without C++ arguments.
thread_local ResultHandle pending_result;
thread_local Napi::FunctionReference* constructor = nullptr;

// Distinguishes a LargeValue from other objects of the addon.
constexpr napi_type_tag kTag = {0x8d6f3b1c52e94a07, 0xa3c17e5d90b2486f};

}  // namespace

Napi::Function LargeValue::Define(Napi::Env env) {
  const Napi::Function defined = DefineClass(env, "LargeValue",
                                             {
                                                 InstanceAccessor<&LargeValue::Length>("length"),
                                                 InstanceMethod<&LargeValue::Text>("text"),
                                             });
  constructor = new Napi::FunctionReference(Napi::Persistent(defined));
  env.AddCleanupHook([] {
    delete constructor;
    constructor = nullptr;
  });
  return defined;
}

Napi::Value LargeValue::Wrap(Napi::Env env, ResultHandle result) {
  pending_result = std::move(result);
  const Napi::Object value = constructor->New({});
  pending_result.reset();
  return Napi::Value(env, value);
}

LargeValue::LargeValue(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (IsEmpty()) return;  // the thread is being terminated
  if (pending_result == nullptr) {
    Napi::TypeError::New(info.Env(), "only the addon creates a LargeValue")
        .ThrowAsJavaScriptException();
    return;
  }
  result_ = std::move(pending_result);
  info.This().As<Napi::Object>().TypeTag(&kTag);
  length_ = static_cast<std::size_t>(Libpq::Get().getlength(result_.get(), 0, 0));
  ReportMemory(static_cast<std::int64_t>(length_));
}

LargeValue::~LargeValue() { Take(); }

LargeValue* LargeValue::From(Napi::Value value) {
  if (!value.IsObject()) return nullptr;
  const auto object = value.As<Napi::Object>();
  return object.CheckTypeTag(&kTag) ? Unwrap(object) : nullptr;
}

ResultHandle LargeValue::Take() {
  if (result_ != nullptr) ReportMemory(-static_cast<std::int64_t>(length_));
  return std::move(result_);
}

void LargeValue::ReportMemory(std::int64_t change) {
  Napi::MemoryManagement::AdjustExternalMemory(Env(), change);
}

Napi::Value LargeValue::Length(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(length_));
}

Napi::Value LargeValue::Text(const Napi::CallbackInfo& info) {
  if (result_ == nullptr) {
    Napi::Error::New(info.Env(), "the value was transferred").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  return Napi::String::New(info.Env(), Libpq::Get().getvalue(result_.get(), 0, 0), length_);
}

}  // namespace sql_rest
