// Sending writes into libpq's buffer. libpq before version 17 also writes to the socket at each sync; TCP_CORK makes
// the kernel send those writes together. The sync of a segment is written with the next one, or with flush, so that a
// single segment needs no cork. Receiving reads all available results and makes one outcome for each segment.
#include "pipeline.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "response_ring.h"
#include "result_values.h"
#include "row_count.h"

namespace sql_rest {
namespace {

// Single values of this size (bytes) and above stay in libpq's buffer, unless they are copied into the ring.
constexpr std::size_t kLargeValue = 8192;

// PQTRANS_INTRANS and PQTRANS_INERROR.
constexpr int kInTransaction = 2;
constexpr int kInFailedTransaction = 3;

// Largest buffer for the values of a call that is kept for the next one (bytes).
constexpr std::size_t kKeptTexts = 1 << 20;

// The offset of an SQL NULL, which has no text.
constexpr std::size_t kNull = static_cast<std::size_t>(-1);

// EndsConnection returns whether an error ended the connection: the server's FATAL and PANIC, and errors of libpq
// itself, which have no SQLSTATE.
bool EndsConnection(const pg_result* failure) {
  const Libpq& pq = Libpq::Get();
  if (pq.result_error_field(failure, 'C') == nullptr) return true;
  const char* severity = pq.result_error_field(failure, 'V');
  return severity != nullptr &&
         (std::strcmp(severity, "FATAL") == 0 || std::strcmp(severity, "PANIC") == 0);
}

// SetCount sets an element of an array of numbers, if there is an array.
void SetCount(napi_env env, napi_value array, std::uint32_t index, std::size_t count) {
  napi_value number = nullptr;
  if (array == nullptr) return;
  napi_create_double(env, static_cast<double>(count), &number);
  napi_set_element(env, array, index, number);
}

}  // namespace

Napi::Function Pipeline::Define(Napi::Env env) {
  return DefineClass(env, "Pipeline",
                     {
                         InstanceMethod<&Pipeline::Prepare>("prepare"),
                         InstanceMethod<&Pipeline::Precede>("precede"),
                         InstanceMethod<&Pipeline::ReadOnly>("readOnly"),
                         InstanceMethod<&Pipeline::Send>("send"),
                         InstanceMethod<&Pipeline::Describe>("describe"),
                         InstanceMethod<&Pipeline::Flush>("flush"),
                         InstanceMethod<&Pipeline::Receive>("receive"),
                         InstanceMethod<&Pipeline::Close>("close"),
                     });
}

Pipeline::Pipeline(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (IsEmpty()) return;  // the thread is being terminated
  const Napi::Env env = info.Env();
  // Read as a double, because integer conversion would turn NaN and negative numbers into limits.
  const double limit = info[1].IsNumber() ? info[1].As<Napi::Number>().DoubleValue() : -1;
  if (!info[0].IsNumber() || !(limit >= 0 && limit <= INT32_MAX)) {
    Napi::TypeError::New(env, "Pipeline needs a descriptor and a limit")
        .ThrowAsJavaScriptException();
    return;
  }
  limit_ = static_cast<std::size_t>(limit);
  if (Connections* connections = Connections::OfThread(); connections != nullptr) {
    connection_ = connections->Acquire(info[0].As<Napi::Number>().Int32Value(), this);
  }
  if (connection_ == nullptr) {
    Napi::Error::New(env, "no connection of this thread has that descriptor to itself")
        .ThrowAsJavaScriptException();
  }
}

Pipeline::~Pipeline() {
  if (connection_ == nullptr) return;
  if (Connections* connections = Connections::OfThread(); connections != nullptr)
    connections->Release(this);
}

Napi::Value Pipeline::Prepare(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  const char* const sql = Text(env, info[1]);
  if (sql == nullptr) return SendResult(env, false);
  sql_ = sql;
  const char* const name = Text(env, info[0]);
  if (name == nullptr) return SendResult(env, false);
  if (!BeginWrite()) return SendResult(env, false);
  const int sent = Libpq::Get().send_prepare(connection_, name, sql_.c_str(), 0, nullptr);
  if (sent == 1) CountPreceding(false);
  return SendResult(env, sent == 1);
}

Napi::Value Pipeline::Precede(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  const bool sent = Execute(env, info[0], info[1], info[2]);
  if (sent) CountPreceding(info.Length() > 3 && info[3].ToBoolean());
  return SendResult(env, sent);
}

Napi::Value Pipeline::ReadOnly(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  read_only_ = SendSql("BEGIN READ ONLY");
  if (read_only_) CountPreceding(false);
  return SendResult(env, read_only_);
}

Napi::Value Pipeline::Send(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  if (!Execute(env, info[0], info[1], info[2])) return SendResult(env, false);
  std::int32_t form = kRows;
  napi_get_value_int32(env, info[3], &form);
  return SendResult(env, CompleteSegment(static_cast<Form>(form)));
}

Napi::Value Pipeline::Describe(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  const char* const name = Text(env, info[0]);
  if (name == nullptr || !BeginWrite()) return SendResult(env, false);
  const bool sent = Libpq::Get().send_describe_prepared(connection_, name) == 1;
  return SendResult(env, sent && CompleteSegment(kDescription));
}

Napi::Value Pipeline::Flush(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  if (unsynced_ && !Sync()) return Napi::Number::New(env, -1);
  const int rest = Libpq::Get().flush(connection_);
  if (corked_) {
    SetCork(0);
    corked_ = false;
  }
  return Napi::Number::New(env, rest);
}

Napi::Value Pipeline::Receive(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!IsOpen(env)) return env.Undefined();
  const Libpq& pq = Libpq::Get();
  Napi::Array outcomes = Napi::Array::New(env);
  const napi_value rows = info.Length() > 0 ? static_cast<napi_value>(info[0]) : nullptr;
  std::uint32_t count = 0;
  const bool open = pq.consume_input(connection_) == 1;
  bool lost = false;
  int nothing = 0;
  // Also after the connection has ended: results received before count. An error of libpq itself then ends the loop.
  while (!lost && !segments_.empty() && pq.is_busy(connection_) == 0) {
    ResultHandle result(pq.get_result(connection_));
    if (result == nullptr) {
      // One null separates two results; two in a row mean that libpq has no more.
      lost = ++nothing == 2;
      continue;
    }
    nothing = 0;
    if (pq.result_status(result.get()) == kPipelineSync) {
      result.reset();
      std::size_t in_json = 0;
      outcomes[count] = EndSegment(env, &in_json);
      SetCount(env, rows, count++, in_json);
    } else {
      lost = !AddResult(std::move(result));
    }
  }
  if (lost || !open || pq.socket(connection_) < 0) {
    Napi::Object outcome = Napi::Object::New(env);
    outcome.Set("lost", true);
    if (failure_ != nullptr) {
      outcome.Set("failure", Failure(env, failure_.get()));
      SetPreceding(env, outcome, segments_.front());
    }
    if (copy_) outcome.Set("copy", true);
    if (result_ != nullptr) outcome.Set("ran", true);
    outcomes[count] = outcome;
    SetCount(env, rows, count, 0);
  }
  return outcomes;
}

void Pipeline::Close(const Napi::CallbackInfo&) {
  if (connection_ == nullptr) return;
  if (Connections* connections = Connections::OfThread(); connections != nullptr)
    connections->Release(this);
  connection_ = nullptr;
}

bool Pipeline::IsOpen(Napi::Env env) {
  if (connection_ != nullptr) return true;
  Napi::Error::New(env, "the pipeline is closed").ThrowAsJavaScriptException();
  return false;
}

bool Pipeline::Execute(napi_env env, napi_value name, napi_value sql, napi_value values) {
  if (!Values(env, values)) return false;
  const Libpq& pq = Libpq::Get();
  const int count = static_cast<int>(values_.size());
  const char* text = Text(env, name);
  const bool named = text != nullptr && text[0] != '\0';
  if (text != nullptr && !named) text = Text(env, sql);
  if (text == nullptr || !BeginWrite()) return false;
  const int* const lengths = formats_.empty() ? nullptr : lengths_.data();
  const int* const formats = formats_.empty() ? nullptr : formats_.data();
  int sent = 0;
  if (named) {
    sent = pq.send_query_prepared(connection_, text, count, values_.data(), lengths, formats, 0);
  } else {
    sent = pq.send_query_params(connection_, text, count, nullptr, values_.data(), lengths, formats,
                                0);
  }
  if (texts_.capacity() > kKeptTexts) std::vector<char>().swap(texts_);
  return sent == 1;
}

bool Pipeline::SendSql(const char* sql) {
  if (!BeginWrite()) return false;
  return Libpq::Get().send_query_params(connection_, sql, 0, nullptr, nullptr, nullptr, nullptr,
                                        0) == 1;
}

bool Pipeline::CompleteSegment(Form form) {
  if (std::exchange(read_only_, false) && !SendSql("ROLLBACK")) return false;
  segments_.push_back({form, preceding_, reported_});
  preceding_ = reported_ = 0;
  unsynced_ = true;
  return true;
}

Napi::Value Pipeline::SendResult(Napi::Env env, bool sent) {
  if (sent) return Napi::Boolean::New(env, true);
  const bool thrown = env.IsExceptionPending();
  // Wrong arguments are harmless while nothing of their segment was sent.
  if (!thrown || preceding_ > 0) broken_ = true;
  return thrown ? env.Undefined() : Napi::Boolean::New(env, false);
}

bool Pipeline::BeginWrite() {
  if (broken_) return false;
  if (!unsynced_) return true;
  if (!corked_ && can_cork_ && Libpq::Get().send_pipeline_sync == nullptr)
    corked_ = can_cork_ = SetCork(1);
  return Sync();
}

bool Pipeline::Sync() {
  const Libpq& pq = Libpq::Get();
  auto* const sync = pq.send_pipeline_sync != nullptr ? pq.send_pipeline_sync : pq.pipeline_sync;
  unsynced_ = false;
  broken_ = sync(connection_) != 1;
  return !broken_;
}

// Queries the descriptor each time: libpq closes it when the connection is lost, and its number may then be reused.
bool Pipeline::SetCork(int on) {
  const int fd = Libpq::Get().socket(connection_);
  return setsockopt(fd, IPPROTO_TCP, TCP_CORK, &on, sizeof on) == 0;
}

const char* Pipeline::Text(napi_env env, napi_value string) {
  // Most strings fit; one that fills the buffer may be truncated.
  if (text_.size() < 256) text_.resize(256);
  std::size_t length = 0;
  if (napi_get_value_string_utf8(env, string, text_.data(), text_.size(), &length) != napi_ok) {
    napi_throw_type_error(env, nullptr, "a name or statement must be a string");
    return nullptr;
  }
  if (length >= text_.size() - 4) {
    napi_get_value_string_utf8(env, string, nullptr, 0, &length);
    text_.resize(length + 8);
    napi_get_value_string_utf8(env, string, text_.data(), text_.size(), &length);
  }
  return text_.data();
}

bool Pipeline::Values(napi_env env, napi_value array) {
  std::uint32_t count = 0;
  if (napi_get_array_length(env, array, &count) != napi_ok) {
    napi_throw_type_error(env, nullptr, "send needs an array of values");
    return false;
  }
  values_.clear();
  lengths_.clear();
  formats_.clear();
  if (count == 0) return true;
  // Offsets first, because growing moves the buffer.
  begins_.clear();
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < count; i++) {
    napi_value value = nullptr;
    napi_get_element(env, array, i, &value);
    std::size_t length = 0;
    if (used + 64 > texts_.size()) texts_.resize(used + 1024);
    if (napi_get_value_string_utf8(env, value, texts_.data() + used, texts_.size() - used,
                                   &length) != napi_ok) {
      bool bytes = false;
      if (napi_is_buffer(env, value, &bytes) == napi_ok && bytes) {
        formats_.resize(count, 0);
        formats_[i] = 1;
        begins_.push_back(kNull);
        continue;
      }
      napi_valuetype type = napi_undefined;
      if (napi_typeof(env, value, &type) != napi_ok || type != napi_null) {
        napi_throw_type_error(env, nullptr, "a value must be a string, bytes or null");
        return false;
      }
      begins_.push_back(kNull);
      continue;
    }
    if (used + length + 5 > texts_.size()) {
      napi_get_value_string_utf8(env, value, nullptr, 0, &length);
      texts_.resize(used + length + 1024);
      napi_get_value_string_utf8(env, value, texts_.data() + used, texts_.size() - used, &length);
    }
    begins_.push_back(used);
    used += length + 1;
  }
  for (const std::size_t begin : begins_) {
    values_.push_back(begin == kNull ? nullptr : texts_.data() + begin);
  }
  if (formats_.empty()) return true;
  lengths_.resize(count, 0);
  for (std::uint32_t i = 0; i < count; i++) {
    if (formats_[i] == 0) continue;
    // Not copied: JavaScript, which could free them, runs only after the call.
    napi_value value = nullptr;
    void* data = nullptr;
    std::size_t length = 0;
    napi_get_element(env, array, i, &value);
    napi_get_buffer_info(env, value, &data, &length);
    if (length > INT32_MAX) {
      napi_throw_range_error(env, nullptr, "a value is too long");
      return false;
    }
    values_[i] = length == 0 ? "" : static_cast<const char*>(data);
    lengths_[i] = static_cast<int>(length);
  }
  return true;
}

void Pipeline::CountPreceding(bool reports) {
  preceding_++;
  if (reports || reported_ > 0) reported_++;
}

void Pipeline::AddTag(pg_result* result) {
  const std::string tag = Libpq::Get().cmd_status(result);
  if (!tag.empty() && (tag.back() < '0' || tag.back() > '9')) tags_.push_back(tag);
}

bool Pipeline::AddResult(ResultHandle result) {
  const Libpq& pq = Libpq::Get();
  switch (pq.result_status(result.get())) {
    case kTuplesOk:
    case kCommandOk:
    case kEmptyQuery:
      if (Segment& segment = segments_.front(); segment.preceding > 0) {
        if (segment.preceding-- <= segment.reported && segment.form == kRows) AddTag(result.get());
      } else if (result_ == nullptr) {
        result_ = std::move(result);  // not the result of the ROLLBACK after it
      }
      return true;
    case kPipelineAborted:
      return true;
    case kFatalError:
    case kBadResponse: {
      const bool last = EndsConnection(result.get());
      if (failure_ == nullptr) failure_ = std::move(result);
      return !last;
    }
    default:
      copy_ = true;
      return false;
  }
}

void Pipeline::SetPreceding(Napi::Env env, Napi::Object outcome, const Segment& segment) {
  if (segment.preceding > 0) outcome.Set("before", Napi::Number::New(env, segment.preceding));
}

Napi::Value Pipeline::Value(Napi::Env env, ResultHandle result, std::size_t length, Form form) {
  if (form == kBody && length > 0 && length < ResponseRing::kLargeBody) {
    ResponseRing* const ring = ResponseRing::OfThread();
    const char* const body = Libpq::Get().getvalue(result.get(), 0, 0);
    const std::int32_t place = ring != nullptr ? ring->Place(body, length) : -1;
    if (place >= 0) return Napi::Number::New(env, place);
  }
  if (length < kLargeValue) return Cell(env, result.get(), 0, 0);
  return LargeValue::Wrap(env, std::move(result));
}

Napi::Value Pipeline::EndSegment(Napi::Env env, std::size_t* rows) {
  const Libpq& pq = Libpq::Get();
  const Segment segment = segments_.front();
  segments_.pop_front();
  ResultHandle result = std::move(result_);
  const ResultHandle failure = std::move(failure_);
  const std::vector<std::string> tags = std::exchange(tags_, {});
  bool open = false;
  if (segments_.empty() && preceding_ == 0) {
    // Returns no result, but updates the transaction status: libpq sees that its queue is empty.
    const ResultHandle none(pq.get_result(connection_));
    const int transaction = pq.transaction_status(connection_);
    open = transaction == kInTransaction || transaction == kInFailedTransaction;
  }
  const bool tuples = result != nullptr && pq.result_status(result.get()) == kTuplesOk;
  if (failure == nullptr && !open && result != nullptr && tags.empty()) {
    if (segment.form != kRows && tuples && pq.ntuples(result.get()) == 1) {
      const auto length = static_cast<std::size_t>(pq.getlength(result.get(), 0, 0));
      if (length <= limit_) {
        *rows = CountRows(std::string_view(pq.getvalue(result.get(), 0, 0), length));
        return Value(env, std::move(result), length, segment.form);
      }
    } else if (segment.form == kRows && pq.result_status(result.get()) == kCommandOk) {
      return Napi::String::New(env, pq.cmd_status(result.get()));
    }
  }
  Napi::Object outcome = Napi::Object::New(env);
  if (open) outcome.Set("transaction", true);
  SetPreceding(env, outcome, segment);
  if (failure != nullptr) {
    outcome.Set("failure", Failure(env, failure.get()));
    if (result != nullptr) outcome.Set("ran", true);
  } else if (result != nullptr && segment.form == kDescription) {
    outcome.Set("description", Description(env, result.get()));
  } else if (result != nullptr) {
    if (!tags.empty()) {
      Napi::Array list = Napi::Array::New(env, tags.size());
      for (std::uint32_t i = 0; i < tags.size(); i++) list[i] = Napi::String::New(env, tags[i]);
      outcome.Set("tags", list);
    }
    outcome.Set("tag", pq.cmd_status(result.get()));
    if (tuples && segment.form != kRows) {
      outcome.Set("tooLarge", true);
    } else if (tuples && pq.nfields(result.get()) > 0) {
      SetRows(env, outcome, result.get(), limit_);
    }
  }
  return outcome;
}

}  // namespace sql_rest
