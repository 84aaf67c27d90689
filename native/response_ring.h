// ResponseRing, for JavaScript: responses on their way from a query worker to its HTTP process, in memory that both
// threads share, so that a result is copied once, from libpq's buffer, and never becomes a JavaScript string. The worker
// writes; src/native/response-ring.ts reads, and describes the layout.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>

namespace sql_rest {

// new ResponseRing(memory): memory is a SharedArrayBuffer as a Uint8Array. It becomes the ring of the calling thread,
// instead of an earlier one. See src/native/response-ring.ts for its methods.
class ResponseRing final : public Napi::ObjectWrap<ResponseRing> {
 public:
  // Bodies of this size (bytes) and above travel apart.
  static constexpr std::size_t kLargeBody = 32768;

  static Napi::Function Define(Napi::Env env);
  // OfThread is the ring of the calling thread; nullptr when it has none.
  static ResponseRing* OfThread() noexcept;

  explicit ResponseRing(const Napi::CallbackInfo& info);
  ~ResponseRing() override;

  // Place copies the body of a response into the ring, and returns the place of its record, which JavaScript completes;
  // -1 when there is no room. The body has less than kLargeBody bytes.
  std::int32_t Place(const char* body, std::size_t length);

 private:
  Napi::Value Write(const Napi::CallbackInfo& info);
  void Publish(const Napi::CallbackInfo& info);

  // Reserve begins a record of at most `size` bytes after its header; nullptr when there is no room.
  std::uint32_t* Reserve(std::size_t size);
  // Skip fills the rest of the ring with an unused record.
  void Skip();
  // Commit ends it, with the bytes it has.
  void Commit(std::uint32_t* record, std::size_t lines, std::size_t body);
  // RecordAt is where a record at this position is.
  std::uint32_t* RecordAt(std::uint32_t position) const noexcept;

  // Keeps the memory alive.
  Napi::Reference<Napi::Uint8Array> memory_;
  std::uint32_t* control_ = nullptr;
  char* data_ = nullptr;
  // A power of two.
  std::uint32_t size_ = 0;
  // Bytes written so far; it wraps around.
  std::uint32_t position_ = 0;
};

}  // namespace sql_rest
