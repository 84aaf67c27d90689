#include "loop_waker.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace sql_rest {

LoopWaker* LoopWaker::Make(Environment* environment, Owner* owner) {
  if (environment == nullptr) return nullptr;
  const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) return nullptr;
  auto* self = new LoopWaker(environment, owner, fd);
  if (uv_poll_init(environment->loop(), &self->poll_, fd) != 0) {
    close(fd);
    delete self;
    return nullptr;
  }
  self->poll_.data = self;
  uv_unref(reinterpret_cast<uv_handle_t*>(&self->poll_));
  environment->Register(self);
  uv_poll_start(&self->poll_, UV_READABLE, [](uv_poll_t* poll, int, int) {
    static_cast<LoopWaker*>(poll->data)->OnReadable();
  });
  return self;
}

void LoopWaker::Wake() noexcept {
  const std::uint64_t one = 1;
  // It fails only when the counter is at its maximum, and then the loop is about to wake.
  static_cast<void>(!write(fd_, &one, sizeof one));
}

void LoopWaker::OnReadable() {
  // From now on libuv has the descriptor in its epoll set, with the events that it watches for; it sets them again only
  // when these change. As edge-triggered, a readable eventfd is reported once for new writes, and need not be read.
  if (!edge_triggered_) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = fd_;
    edge_triggered_ =
        epoll_ctl(uv_backend_fd(environment_->loop()), EPOLL_CTL_MOD, fd_, &event) == 0;
    std::uint64_t count = 0;
    static_cast<void>(!read(fd_, &count, sizeof count));
  }
  if (owner_ != nullptr) owner_->Woken();
}

void LoopWaker::Close() {
  if (owner_ == nullptr) return;
  owner_->Closing();
  owner_ = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&poll_), [](uv_handle_t* closed) {
    auto* self = static_cast<LoopWaker*>(closed->data);
    self->environment_->Unregister(self);
    close(self->fd_);
    delete self;
  });
}

void LoopWaker::CloseForTeardown() {
  Owner* const owner = owner_;
  Close();
  if (owner != nullptr) owner->Detach();
}

}  // namespace sql_rest
