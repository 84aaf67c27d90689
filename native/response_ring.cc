// A record never crosses the end of the ring: an unused one fills the rest. Only the reader moves kConsumed, and only the
// writer kPublished.
#include "response_ring.h"

#include <algorithm>
#include <cstring>

namespace sql_rest {
namespace {

// Words of the control block, each in a cache line of its own. The data follow it.
constexpr std::size_t kPublished = 0;
constexpr std::size_t kConsumed = 16;
constexpr std::size_t kFull = 32;
constexpr std::size_t kControlBytes = 256;

// Words of a record before its texts: size, id, then status and type, then the lengths of the body and of the header lines.
constexpr std::size_t kHeaderBytes = 16;
// Sizes are multiples of this, so that a header always fits before the end.
constexpr std::size_t kAlignment = 16;
// The type of an incomplete record, which is not a response.
constexpr std::uint32_t kUnused = 0xff;

// Bytes that a UTF-16 unit can become, and the longest texts (UTF-16 units) of write.
constexpr std::size_t kUtf8PerUnit = 3;
constexpr std::size_t kLongestLines = 8192;
constexpr std::size_t kLongestText = ResponseRing::kLargeBody / kUtf8PerUnit;

thread_local ResponseRing* ring_of_thread = nullptr;

std::size_t Aligned(std::size_t size) { return (size + kAlignment - 1) & ~(kAlignment - 1); }

std::uint32_t Load(const std::uint32_t* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
void Store(std::uint32_t* word, std::uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

}  // namespace

Napi::Function ResponseRing::Define(Napi::Env env) {
  return DefineClass(env, "ResponseRing",
                     {
                         InstanceMethod<&ResponseRing::Write>("write"),
                         InstanceMethod<&ResponseRing::Publish>("publish"),
                     });
}

ResponseRing* ResponseRing::OfThread() noexcept { return ring_of_thread; }

ResponseRing::ResponseRing(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (IsEmpty()) return;  // the thread is being terminated
  const Napi::Env env = info.Env();
  if (!info[0].IsTypedArray() ||
      info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    Napi::TypeError::New(env, "ResponseRing needs a Uint8Array").ThrowAsJavaScriptException();
    return;
  }
  const auto memory = info[0].As<Napi::Uint8Array>();
  void* data = nullptr;
  std::size_t length = 0;
  // node-addon-api asks for the ArrayBuffer of a Uint8Array, which a SharedArrayBuffer is not.
  if (napi_get_typedarray_info(env, memory, nullptr, &length, &data, nullptr, nullptr) != napi_ok ||
      length < kControlBytes + 4 * kLargeBody || length > INT32_MAX ||
      ((length - kControlBytes) & (length - kControlBytes - 1)) != 0) {
    Napi::TypeError::New(env, "the memory of a ResponseRing has the wrong size")
        .ThrowAsJavaScriptException();
    return;
  }
  control_ = static_cast<std::uint32_t*>(data);
  data_ = static_cast<char*>(data) + kControlBytes;
  size_ = static_cast<std::uint32_t>(length - kControlBytes);
  // Another thread may have used it before.
  position_ = Load(&control_[kPublished]);
  memory_ = Napi::Persistent(memory);
  ring_of_thread = this;
}

ResponseRing::~ResponseRing() {
  if (ring_of_thread == this) ring_of_thread = nullptr;
}

std::uint32_t* ResponseRing::RecordAt(std::uint32_t position) const noexcept {
  return reinterpret_cast<std::uint32_t*>(data_ + (position & (size_ - 1)));
}

std::uint32_t* ResponseRing::Reserve(std::size_t size) {
  const auto needed = static_cast<std::uint32_t>(Aligned(kHeaderBytes + size));
  const std::uint32_t used = position_ - Load(&control_[kConsumed]);
  const std::uint32_t to_end = size_ - (position_ & (size_ - 1));
  const std::uint32_t skipped = needed > to_end ? to_end : 0;
  if (size_ - used < skipped + needed) {
    Store(&control_[kFull], 1);
    // The reader may have read everything before it could see that.
    if (Load(&control_[kConsumed]) == position_ - used) return nullptr;
    return Reserve(size);
  }
  if (skipped > 0) Skip();
  return RecordAt(position_);
}

void ResponseRing::Skip() {
  std::uint32_t* const unused = RecordAt(position_);
  unused[0] = size_ - (position_ & (size_ - 1));
  unused[2] = kUnused << 16;
  position_ += unused[0];
}

void ResponseRing::Commit(std::uint32_t* record, std::size_t lines, std::size_t body) {
  record[0] = static_cast<std::uint32_t>(Aligned(kHeaderBytes + lines + body));
  record[2] = kUnused << 16;
  record[3] = static_cast<std::uint32_t>(body) | static_cast<std::uint32_t>(lines) << 16;
  position_ += record[0];
}

std::int32_t ResponseRing::Place(const char* body, std::size_t length) {
  std::uint32_t* const record = Reserve(length);
  if (record == nullptr) return -1;
  std::memcpy(record + kHeaderBytes / sizeof *record, body, length);
  Commit(record, 0, length);
  return static_cast<std::int32_t>(reinterpret_cast<char*>(record) - data_);
}

Napi::Value ResponseRing::Write(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::size_t lines_units = 0;
  std::size_t body_units = 0;
  if (control_ == nullptr || info.Length() < 5 ||
      napi_get_value_string_utf16(env, info[3], nullptr, 0, &lines_units) != napi_ok ||
      napi_get_value_string_utf16(env, info[4], nullptr, 0, &body_units) != napi_ok ||
      lines_units > kLongestLines || body_units > kLongestText) {
    Napi::TypeError::New(env, "write needs three numbers and two short strings")
        .ThrowAsJavaScriptException();
    return env.Undefined();
  }
  // The texts end with a NUL here, which the next one overwrites.
  const std::size_t most = kUtf8PerUnit * (lines_units + body_units) + 1;
  std::uint32_t* const record = Reserve(most);
  if (record == nullptr) return Napi::Boolean::New(env, false);
  char* const texts = reinterpret_cast<char*>(record) + kHeaderBytes;
  std::size_t lines = 0;
  std::size_t body = 0;
  napi_get_value_string_utf8(env, info[3], texts, most, &lines);
  napi_get_value_string_utf8(env, info[4], texts + lines, most - lines, &body);
  record[1] = info[0].As<Napi::Number>().Uint32Value();
  Commit(record, lines, body);
  record[2] = info[1].As<Napi::Number>().Uint32Value() | info[2].As<Napi::Number>().Uint32Value()
                                                             << 16;
  return Napi::Boolean::New(env, true);
}

void ResponseRing::Publish(const Napi::CallbackInfo&) {
  if (control_ != nullptr) Store(&control_[kPublished], position_);
}

}  // namespace sql_rest
