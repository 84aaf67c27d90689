// The watcher and the poll handle below it are two objects: the handle lives until libuv has closed it, which is later
// than the garbage collector may want the watcher.
#include "socket_watcher.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace sql_rest {

namespace {

// What libpq reads at one go at least, and what it reads at most while no row is larger.
constexpr int kOneRead = 8192;
constexpr int kUsualBuffer = 32768;

// Where Linux's tcp_info has tcpi_bytes_received (since 4.1; never moved). The C library's tcp_info ends before it, and
// the kernel's own header cannot be included beside uv.h.
constexpr std::size_t kBytesReceived = 128;

// BytesReceived is how many bytes a TCP connection has received in all; false for other sockets.
bool BytesReceived(int fd, std::uint64_t* bytes) {
  std::array<char, kBytesReceived + sizeof *bytes> info{};
  socklen_t size = info.size();
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info.data(), &size) != 0) return false;
  if (size < info.size()) return false;
  std::memcpy(bytes, info.data() + kBytesReceived, sizeof *bytes);
  return true;
}

}  // namespace

// SocketPoll is a libuv poll handle that deletes itself once closed. It never closes the descriptor.
class SocketPoll final : public Closable {
 public:
  // Make returns nullptr and sets status to a libuv error code when the descriptor cannot be watched.
  static SocketPoll* Make(Environment* environment, int fd, SocketWatcher* owner, int* status) {
    auto* self = new SocketPoll(environment, fd, owner);
    *status = uv_poll_init(environment->loop(), &self->handle_, fd);
    if (*status != 0) {
      delete self;
      return nullptr;
    }
    self->handle_.data = self;
    environment->Remember(self);
    return self;
  }

  // Start sets what is watched for (0: nothing); a libuv error code, or 0.
  int Start(int events) {
    events_ = events;
    return events == 0 ? uv_poll_stop(&handle_) : uv_poll_start(&handle_, events, OnPoll);
  }

  void Close() {
    owner_ = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&handle_), [](uv_handle_t* handle) {
      auto* self = static_cast<SocketPoll*>(handle->data);
      Environment* environment = self->environment_;
      environment->Forget(self);
      delete self;
    });
  }

  // Leaves the descriptor alone: it may be closed by now, and its number somebody else's.
  void CloseForTeardown() override {
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&handle_)) != 0) return;
    if (owner_ != nullptr) owner_->Detach();
    Close();
  }

  // Passed leaves what has been read by now out of what Arrived tells next.
  void Passed() {
    int waiting = 0;
    if (!behind_ || ioctl(fd_, FIONREAD, &waiting) != 0 || !BytesReceived(fd_, &counted_)) return;
    counted_ -= std::min(static_cast<std::uint64_t>(waiting), counted_);
  }

 private:
  SocketPoll(Environment* environment, int fd, SocketWatcher* owner)
      : environment_(environment), fd_(fd), owner_(owner) {}

  static void OnPoll(uv_poll_t* handle, int status, int events) {
    auto* self = static_cast<SocketPoll*>(handle->data);
    // libuv stops a handle that reports an error. What the error is comes out when the owner reads, and it may read in
    // several steps: so go on reporting until it stops.
    if (status < 0) uv_poll_start(handle, self->events_, OnPoll);
    if (self->owner_ == nullptr) return;
    const bool readable = status < 0 || (events & UV_READABLE) != 0;
    self->owner_->OnEvent(readable, (events & UV_WRITABLE) != 0, readable ? self->Arrived() : 0);
  }

  // Arrived is how many bytes have come since it was last called. What waits in the socket is that only when all that
  // waited before has been read since; otherwise the kernel's count of the connection tells. What comes and is read
  // between two calls counts only then: added up over many small results it would be charged to a large one.
  int Arrived() {
    int waiting = 0;
    if (ioctl(fd_, FIONREAD, &waiting) != 0) return 0;
    const bool behind = behind_;
    behind_ = waiting > kOneRead;
    if (!behind && !behind_) return waiting;
    const std::uint64_t before = counted_;
    // A unix socket has no such count.
    if (!BytesReceived(fd_, &counted_)) return std::min(waiting, kUsualBuffer);
    if (!behind) return waiting;
    return static_cast<int>(std::min<std::uint64_t>(counted_ - before, INT32_MAX));
  }

  uv_poll_t handle_{};
  Environment* const environment_;
  const int fd_;
  SocketWatcher* owner_;
  int events_ = 0;
  // Whether more than one read was in the socket at the last call, and what the kernel had counted until then.
  std::uint64_t counted_ = 0;
  bool behind_ = false;
};

Napi::Function SocketWatcher::Define(Napi::Env env) {
  return DefineClass(env, "SocketWatcher",
                     {
                         InstanceMethod<&SocketWatcher::Watch>("watch"),
                         InstanceMethod<&SocketWatcher::Passed>("passed"),
                         InstanceMethod<&SocketWatcher::Close>("close"),
                     });
}

SocketWatcher::SocketWatcher(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 2 || !info[0].IsNumber() || !info[1].IsFunction()) {
    Napi::TypeError::New(env, "SocketWatcher needs a descriptor and a function")
        .ThrowAsJavaScriptException();
    return;
  }
  Environment* environment = Environment::Current();
  if (environment == nullptr) {
    Napi::Error::New(env, "this thread is ending").ThrowAsJavaScriptException();
    return;
  }
  int status = 0;
  poll_ = SocketPoll::Make(environment, info[0].As<Napi::Number>().Int32Value(), this, &status);
  if (poll_ == nullptr) {
    Napi::Error::New(env, std::string("cannot watch the descriptor: ") + uv_strerror(status))
        .ThrowAsJavaScriptException();
    return;
  }
  callback_ = Napi::Persistent(info[1].As<Napi::Function>());
  context_ = std::make_unique<Napi::AsyncContext>(env, "SocketWatcher");
}

SocketWatcher::~SocketWatcher() {
  if (poll_ != nullptr) poll_->Close();
}

void SocketWatcher::Watch(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  // As a double first: NaN and fractions would become modes otherwise.
  const double wanted = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : -1;
  const int mode =
      wanted >= 0 && wanted <= (UV_READABLE | UV_WRITABLE) ? static_cast<int>(wanted) : -1;
  if (mode < 0 || mode != wanted) {
    Napi::TypeError::New(env, "watch needs a mode from 0 to 3").ThrowAsJavaScriptException();
    return;
  }
  if (poll_ == nullptr) {
    Napi::Error::New(env, "the watcher is closed").ThrowAsJavaScriptException();
    return;
  }
  const int status = poll_->Start(mode);
  if (status != 0) {
    Napi::Error::New(env, std::string("cannot watch the descriptor: ") + uv_strerror(status))
        .ThrowAsJavaScriptException();
    return;
  }
  Hold(mode != 0);
}

void SocketWatcher::Passed(const Napi::CallbackInfo&) {
  if (poll_ != nullptr) poll_->Passed();
}

void SocketWatcher::Close(const Napi::CallbackInfo&) {
  if (poll_ == nullptr) return;
  poll_->Close();
  poll_ = nullptr;
  Hold(false);
  // The callback usually refers to the watcher: holding it any longer would keep both.
  callback_.Reset();
}

// While it watches, nothing but libuv may point to the object: it holds itself.
void SocketWatcher::Hold(bool held) {
  if (held == held_) return;
  held_ = held;
  if (held) {
    Ref();
  } else {
    Unref();
  }
}

void SocketWatcher::OnEvent(bool readable, bool writable, int arrived) {
  const Napi::Env env = Env();
  const Napi::HandleScope scope(env);
  const napi_value arguments[] = {
      Napi::Boolean::New(env, readable),
      Napi::Boolean::New(env, writable),
      Napi::Number::New(env, arrived),
  };
  // Value() of a member that a callback may close: `this` stays alive, because its JavaScript object is the receiver.
  const Napi::Object receiver = Value();
  napi_value result = nullptr;
  const napi_status status =
      napi_make_callback(env, *context_, receiver, callback_.Value(), 3, arguments, &result);
  if (status != napi_pending_exception) return;
  napi_value error = nullptr;
  // A thread that is being terminated has an exception pending that is none of ours: then nothing can be fetched.
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

}  // namespace sql_rest
