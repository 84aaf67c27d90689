// LargeValue, for JavaScript: a large text from PostgreSQL, still in libpq's buffer. text() makes a string of it;
// posted to another thread (mailbox.h) it is transferred without a copy.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "libpq.h"

namespace sql_rest {

struct ClearResult {
  void operator()(pg_result* result) const noexcept { Libpq::Get().clear(result); }
};
// ResultHandle owns a result, which may be freed on any thread.
using ResultHandle = std::unique_ptr<pg_result, ClearResult>;

// Property: length (bytes). Method: text(), which throws Error after the value was transferred.
class LargeValue final : public Napi::ObjectWrap<LargeValue> {
 public:
  static Napi::Function Define(Napi::Env env);
  // Wrap makes a value of a result with a single cell.
  static Napi::Value Wrap(Napi::Env env, ResultHandle result);

  // From returns nullptr when the value is not a LargeValue.
  static LargeValue* From(Napi::Value value);

  explicit LargeValue(const Napi::CallbackInfo& info);
  ~LargeValue() override;

  // has_result is false after Take.
  bool has_result() const noexcept { return result_ != nullptr; }
  // Take moves the result out; it is empty when called again.
  ResultHandle Take();

 private:
  Napi::Value Length(const Napi::CallbackInfo& info);
  Napi::Value Text(const Napi::CallbackInfo& info);
  // ReportMemory tells the garbage collector about memory outside its heap.
  void ReportMemory(std::int64_t change);

  ResultHandle result_;
  std::size_t length_ = 0;
};

}  // namespace sql_rest
