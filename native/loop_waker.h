// LoopWaker: how other threads wake the event loop of the thread that made it. A libuv handle that does not keep the
// thread alive, is closed with its environment, and deletes itself once it is closed.
#pragma once

#include <uv.h>

#include "environment.h"

namespace sql_rest {

class LoopWaker final : public Closable {
 public:
  // Owner is what it belongs to, on the same thread.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Woken is called on the loop, once for any number of wake-ups before it.
    virtual void Woken() = 0;
    // Closing is called before it is closed: from then on nobody may wake it.
    virtual void Closing() = 0;
    // Detach is called after that when it was the environment that closed it: the owner must forget it.
    virtual void Detach() = 0;
  };

  // Make returns nullptr when the environment ends or has no handle to give.
  static LoopWaker* Make(Environment* environment, Owner* owner);

  // async is what wakes the loop (uv_async_send, from any thread) until Closing was called.
  uv_async_t* async() noexcept { return &async_; }
  // Close closes it; a second call does nothing.
  void Close();
  void CloseForTeardown() override;

 private:
  LoopWaker(Environment* environment, Owner* owner) : environment_(environment), owner_(owner) {}

  uv_async_t async_{};
  Environment* const environment_;
  // nullptr once it is being closed.
  Owner* owner_;
};

}  // namespace sql_rest
