// The watcher and its poll handle are two objects, because libuv may close the handle only after the garbage collector
// has freed the watcher.
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

// The usual size of libpq's buffer, which only a larger row exceeds.
constexpr int kUsualBuffer = 32768;

// Offset of tcpi_bytes_received in Linux's tcp_info (since 4.1, part of the ABI). The C library's tcp_info ends before
// it, and the kernel's header cannot be included together with uv.h.
constexpr std::size_t kBytesReceived = 128;

// BytesReceived reads how many bytes a TCP connection has received in all; false for other sockets.
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
    environment->Register(self);
    return self;
  }

  // Start sets the watched events (0: none). Returns 0 or a libuv error code.
  int Start(int events) {
    events_ = events;
    return events == 0 ? uv_poll_stop(&handle_) : uv_poll_start(&handle_, events, OnPoll);
  }

  void Close() {
    owner_ = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&handle_), [](uv_handle_t* handle) {
      auto* self = static_cast<SocketPoll*>(handle->data);
      Environment* environment = self->environment_;
      environment->Unregister(self);
      delete self;
    });
  }

  // Does not touch the descriptor: it may be closed by now and its number reused.
  void CloseForTeardown() override {
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&handle_)) != 0) return;
    if (owner_ != nullptr) owner_->Detach();
    Close();
  }

  // Arrived returns how many bytes were read since the last call, at most kUsualBuffer for the first call for a result,
  // because bytes of earlier results are among them. 0 when the socket does not count them.
  int Arrived(bool first) {
    const std::uint64_t before = counted_;
    int waiting = 0;
    if (!counts_ || ioctl(fd_, FIONREAD, &waiting) != 0 || !BytesReceived(fd_, &counted_)) return 0;
    counted_ -= std::min(static_cast<std::uint64_t>(waiting), counted_);
    const std::uint64_t most = first ? kUsualBuffer : INT32_MAX;
    return static_cast<int>(std::min(counted_ - std::min(before, counted_), most));
  }

 private:
  SocketPoll(Environment* environment, int fd, SocketWatcher* owner)
      : environment_(environment), fd_(fd), owner_(owner), counts_(BytesReceived(fd, &counted_)) {}

  static void OnPoll(uv_poll_t* handle, int status, int events) {
    auto* self = static_cast<SocketPoll*>(handle->data);
    // libuv stops a handle that reports an error. The owner learns the error when it reads, possibly after several
    // reads, so keep reporting until the owner stops.
    if (status < 0) uv_poll_start(handle, self->events_, OnPoll);
    if (self->owner_ == nullptr) return;
    const bool readable = status < 0 || (events & UV_READABLE) != 0;
    self->owner_->OnEvent(readable, (events & UV_WRITABLE) != 0, readable ? self->Waiting() : 0);
  }

  // Waiting returns how many bytes wait in a socket that does not count them, at most what a read usually takes; 0 for
  // others.
  int Waiting() const {
    int waiting = 0;
    if (counts_ || ioctl(fd_, FIONREAD, &waiting) != 0) return 0;
    return std::min(waiting, kUsualBuffer);
  }

  uv_poll_t handle_{};
  Environment* const environment_;
  const int fd_;
  SocketWatcher* owner_;
  int events_ = 0;
  // The kernel's count of received bytes, less those unread, at the last call of Arrived, and whether there is one: a unix socket has none.
  std::uint64_t counted_ = 0;
  const bool counts_;
};

Napi::Function SocketWatcher::Define(Napi::Env env) {
  return DefineClass(env, "SocketWatcher",
                     {
                         InstanceMethod<&SocketWatcher::Watch>("watch"),
                         InstanceMethod<&SocketWatcher::Arrived>("arrived"),
                         InstanceMethod<&SocketWatcher::Close>("close"),
                     });
}

SocketWatcher::SocketWatcher(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (IsEmpty()) return;  // the thread is being terminated
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
  // Read as a double, because integer conversion would turn NaN and fractions into modes.
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
  KeepAlive(mode != 0);
}

Napi::Value SocketWatcher::Arrived(const Napi::CallbackInfo& info) {
  const bool first = info[0].ToBoolean();
  return Napi::Number::New(info.Env(), poll_ != nullptr ? poll_->Arrived(first) : 0);
}

void SocketWatcher::Close(const Napi::CallbackInfo&) {
  if (poll_ == nullptr) return;
  poll_->Close();
  poll_ = nullptr;
  KeepAlive(false);
  // The callback usually refers to the watcher, so keeping it would leak both.
  callback_.Reset();
}

// While it watches, libuv may have the only pointer to the object, so it references itself.
void SocketWatcher::KeepAlive(bool alive) {
  if (alive == kept_alive_) return;
  kept_alive_ = alive;
  if (alive) {
    Ref();
  } else {
    Unref();
  }
}

void SocketWatcher::OnEvent(bool readable, bool writable, int waiting) {
  const Napi::Env env = Env();
  const Napi::HandleScope scope(env);
  const napi_value arguments[] = {
      Napi::Boolean::New(env, readable),
      Napi::Boolean::New(env, writable),
      Napi::Number::New(env, waiting),
  };
  // The callback may close the watcher; as the receiver, its JavaScript object keeps `this` alive until it returns.
  const Napi::Object receiver = Value();
  napi_value result = nullptr;
  const napi_status status =
      napi_make_callback(env, *context_, receiver, callback_.Value(), 3, arguments, &result);
  if (status != napi_pending_exception) return;
  napi_value error = nullptr;
  // On a thread that is being terminated, the exception is the termination, which cannot be fetched.
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

}  // namespace sql_rest
