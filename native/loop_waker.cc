#include "loop_waker.h"

namespace sql_rest {

LoopWaker* LoopWaker::Make(Environment* environment, Owner* owner) {
  if (environment == nullptr) return nullptr;
  auto* self = new LoopWaker(environment, owner);
  const auto woken = [](uv_async_t* async) {
    auto* waker = static_cast<LoopWaker*>(async->data);
    if (waker->owner_ != nullptr) waker->owner_->Woken();
  };
  if (uv_async_init(environment->loop(), &self->async_, woken) != 0) {
    delete self;
    return nullptr;
  }
  self->async_.data = self;
  uv_unref(reinterpret_cast<uv_handle_t*>(&self->async_));
  environment->Register(self);
  return self;
}

void LoopWaker::Close() {
  if (owner_ == nullptr) return;
  owner_->Closing();
  owner_ = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&async_), [](uv_handle_t* closed) {
    auto* self = static_cast<LoopWaker*>(closed->data);
    self->environment_->Unregister(self);
    delete self;
  });
}

void LoopWaker::CloseForTeardown() {
  Owner* const owner = owner_;
  Close();
  if (owner != nullptr) owner->Detach();
}

}  // namespace sql_rest
