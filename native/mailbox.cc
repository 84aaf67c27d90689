// Each mailbox has a queue; senders find it by its address in a table of the process. Only the first message in an
// empty queue wakes the owner's loop.
#include "mailbox.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "large_value.h"

namespace sql_rest {

namespace {

// Body is memory that is transferred: a result of libpq, a text as UTF-8, or a copy of bytes.
struct Body {
  ResultHandle result;
  std::unique_ptr<std::string> text;
};

struct Message {
  std::u16string text;
  std::vector<Body> bodies;
};

}  // namespace

struct MailboxQueue {
  // Held while the owner is woken, so that it is not closed meanwhile. Not the other mutex, for which the owner, which
  // may wake at once, would have to wait.
  std::mutex waking;
  // nullptr once the mailbox is closed.
  LoopWaker* waker = nullptr;
  std::mutex mutex;
  std::vector<Message> messages;
};

namespace {

// QueueTable finds queues by address. Addresses are never reused.
class QueueTable {
 public:
  static QueueTable& Get() {
    // Never destroyed: threads may outlive static destruction.
    static auto* const table = new QueueTable;
    return *table;
  }

  std::uint32_t Add(std::shared_ptr<MailboxQueue> queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.emplace(++last_, std::move(queue));
    return last_;
  }

  void Remove(std::uint32_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.erase(address);
  }

  std::shared_ptr<MailboxQueue> Find(std::uint32_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = queues_.find(address);
    return found == queues_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::shared_ptr<MailboxQueue>> queues_;
  std::uint32_t last_ = 0;
};

// TakeBodies reads the bodies of a message; false unless they are strings, bytes and distinct values, none of them transferred
// before. Values are taken only when all bodies are right.
bool TakeBodies(Napi::Value bodies, std::vector<Body>* taken) {
  if (bodies.IsUndefined()) return true;
  if (!bodies.IsArray()) return false;
  const auto list = bodies.As<Napi::Array>();
  const std::uint32_t count = list.Length();
  std::vector<LargeValue*> values(count, nullptr);
  taken->resize(count);
  for (std::uint32_t i = 0; i < count; i++) {
    const Napi::Value body = list.Get(i);
    if (body.IsString()) {
      (*taken)[i].text = std::make_unique<std::string>(body.As<Napi::String>().Utf8Value());
      continue;
    }
    if (body.IsBuffer()) {
      const auto bytes = body.As<Napi::Buffer<char>>();
      (*taken)[i].text = std::make_unique<std::string>(bytes.Data(), bytes.Length());
      continue;
    }
    LargeValue* const value = LargeValue::From(body);
    if (value == nullptr || !value->has_result()) return false;
    if (std::find(values.begin(), values.end(), value) != values.end()) return false;
    values[i] = value;
  }
  for (std::uint32_t i = 0; i < count; i++) {
    if (values[i] != nullptr) (*taken)[i].result = values[i]->Take();
  }
  return true;
}

// Buffer makes an ArrayBuffer on the memory of a body, which is freed with it. It is empty on a thread that is being
// terminated; the body is then freed here.
Napi::Value Buffer(Napi::Env env, Body body) {
  if (body.text != nullptr) {
    const auto buffer = Napi::ArrayBuffer::New(
        env, body.text->data(), body.text->size(),
        [](Napi::Env, void*, std::string* done) { delete done; }, body.text.get());
    if (!buffer.IsEmpty()) static_cast<void>(body.text.release());
    return Napi::Value(env, buffer);
  }
  const Libpq& pq = Libpq::Get();
  const auto length = static_cast<std::size_t>(pq.getlength(body.result.get(), 0, 0));
  char* const data = pq.getvalue(body.result.get(), 0, 0);
  const auto buffer = Napi::ArrayBuffer::New(
      env, data, length, [](Napi::Env, void*, pg_result* done) { ClearResult()(done); },
      body.result.get());
  if (!buffer.IsEmpty()) static_cast<void>(body.result.release());
  return Napi::Value(env, buffer);
}

}  // namespace

Napi::Function Mailbox::Define(Napi::Env env) {
  return DefineClass(env, "Mailbox",
                     {
                         InstanceAccessor<&Mailbox::Address>("address"),
                         InstanceMethod<&Mailbox::Post>("post"),
                         InstanceMethod<&Mailbox::Close>("close"),
                     });
}

Mailbox::Mailbox(const Napi::CallbackInfo& info)
    : ObjectWrap(info), queue_(std::make_shared<MailboxQueue>()) {
  if (IsEmpty()) return;  // the thread is being terminated
  const Napi::Env env = info.Env();
  if (!info[0].IsFunction()) {
    Napi::TypeError::New(env, "Mailbox needs a function").ThrowAsJavaScriptException();
    return;
  }
  waker_ = LoopWaker::Make(Environment::Current(), this);
  if (waker_ == nullptr) {
    Napi::Error::New(env, "this thread is ending, or has no descriptor left")
        .ThrowAsJavaScriptException();
    return;
  }
  queue_->waker = waker_;
  address_ = QueueTable::Get().Add(queue_);
  callback_ = Napi::Persistent(info[0].As<Napi::Function>());
  context_ = std::make_unique<Napi::AsyncContext>(env, "Mailbox");
  Ref();  // until it is closed
}

Mailbox::~Mailbox() {
  if (waker_ != nullptr) waker_->Close();
}

void Mailbox::Closing() {
  QueueTable::Get().Remove(address_);
  const std::lock_guard<std::mutex> waking(queue_->waking);
  queue_->waker = nullptr;
  const std::lock_guard<std::mutex> lock(queue_->mutex);
  queue_->messages.clear();
}

Napi::Value Mailbox::Address(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), waker_ == nullptr ? 0 : address_);
}

Napi::Value Mailbox::Post(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsNumber() || !info[1].IsString()) {
    Napi::TypeError::New(env, "post needs an address and a string").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const auto queue = QueueTable::Get().Find(info[0].As<Napi::Number>().Uint32Value());
  if (queue == nullptr) return Napi::Boolean::New(env, false);
  Message message;
  if (!TakeBodies(info[2], &message.bodies)) {
    Napi::TypeError::New(
        env, "bodies must be strings, bytes or distinct large values, none transferred before")
        .ThrowAsJavaScriptException();
    return env.Undefined();
  }
  // As UTF-16, which represents every string; V8 stores Latin-1 strings in one byte a character again.
  std::size_t length = 0;
  napi_get_value_string_utf16(env, info[1], nullptr, 0, &length);
  message.text.resize(length);
  napi_get_value_string_utf16(env, info[1], message.text.data(), length + 1, nullptr);
  const std::lock_guard<std::mutex> waking(queue->waking);
  if (queue->waker == nullptr) return Napi::Boolean::New(env, false);
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(queue->mutex);
    first = queue->messages.empty();
    queue->messages.push_back(std::move(message));
  }
  if (first) queue->waker->Wake();
  return Napi::Boolean::New(env, true);
}

void Mailbox::Close(const Napi::CallbackInfo&) {
  if (waker_ == nullptr) return;
  waker_->Close();
  waker_ = nullptr;
  callback_.Reset();
  Unref();
}

void Mailbox::Woken() {
  const Napi::Env env = Env();
  std::vector<Message> messages;
  {
    const std::lock_guard<std::mutex> lock(queue_->mutex);
    messages.swap(queue_->messages);
  }
  const Napi::HandleScope all(env);
  const Napi::Object receiver = Value();
  for (Message& message : messages) {
    if (waker_ == nullptr) return;  // closed by a callback
    const Napi::HandleScope scope(env);
    Napi::Value bodies = env.Undefined();
    if (!message.bodies.empty()) {
      Napi::Array list = Napi::Array::New(env);
      std::uint32_t count = 0;
      for (Body& body : message.bodies) list[count++] = Buffer(env, std::move(body));
      bodies = list;
    }
    const napi_value arguments[] = {
        Napi::String::New(env, message.text),
        bodies,
    };
    napi_value result = nullptr;
    const napi_status status =
        napi_make_callback(env, *context_, receiver, callback_.Value(), 2, arguments, &result);
    if (status != napi_pending_exception) continue;
    napi_value error = nullptr;
    // On a thread that is being terminated, the exception is the termination, which cannot be fetched.
    if (napi_get_and_clear_last_exception(env, &error) != napi_ok) return;
    napi_fatal_exception(env, error);
  }
}

Napi::Value ReleaseBuffer(const Napi::CallbackInfo& info) {
  if (info[0].IsArrayBuffer()) {
    info[0].As<Napi::ArrayBuffer>().Detach();
  } else {
    Napi::TypeError::New(info.Env(), "releaseBuffer needs an ArrayBuffer")
        .ThrowAsJavaScriptException();
  }
  return info.Env().Undefined();
}

}  // namespace sql_rest
