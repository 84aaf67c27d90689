// LargeValue, for JavaScript: a large text that PostgreSQL sent, still where libpq has put it. It becomes a string only
// when somebody asks for one; on its way to another thread (mailbox.h) it is handed over and not copied.
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

// Property: length (bytes). Method: text(), which throws Error once the value was handed over.
class LargeValue final : public Napi::ObjectWrap<LargeValue> {
 public:
  static Napi::Function Define(Napi::Env env);
  // Wrap makes a value of the only cell of a result.
  static Napi::Value Wrap(Napi::Env env, ResultHandle result);

  // Unwrapped is the object behind a value; nullptr when that is no LargeValue.
  static LargeValue* Unwrapped(Napi::Value value);

  explicit LargeValue(const Napi::CallbackInfo& info);
  ~LargeValue() override;

  // held tells whether the result is still here.
  bool held() const noexcept { return result_ != nullptr; }
  // Take hands the result over; empty when it was taken before.
  ResultHandle Take();

 private:
  Napi::Value Length(const Napi::CallbackInfo& info);
  Napi::Value Text(const Napi::CallbackInfo& info);
  // Account tells the garbage collector what the value holds beyond its heap.
  void Account(std::int64_t change);

  ResultHandle result_;
  std::size_t length_ = 0;
};

}  // namespace sql_rest
