// LoopWaker lets other threads wake the event loop of the thread that made it. Its libuv handle does not keep the
// thread alive and is closed with its environment; the object deletes itself once the handle is closed.
#pragma once

#include <uv.h>

#include "environment.h"

namespace sql_rest {

class LoopWaker final : public Closable {
 public:
  // Owner receives its events, on the same thread.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Woken is called on the loop, once for any number of wake-ups before it.
    virtual void Woken() = 0;
    // Closing is called before it is closed: no thread may wake the loop afterwards.
    virtual void Closing() = 0;
    // Detach is called after Closing when the environment closes it: the owner must drop its pointer.
    virtual void Detach() = 0;
  };

  // Make returns nullptr when the environment is ending or the handle cannot be created.
  static LoopWaker* Make(Environment* environment, Owner* owner);

  // async wakes the loop: call uv_async_send on it, from any thread, until Closing was called.
  uv_async_t* async() noexcept { return &async_; }
  // A second call does nothing.
  void Close();
  void CloseForTeardown() override;

 private:
  LoopWaker(Environment* environment, Owner* owner) : environment_(environment), owner_(owner) {}

  uv_async_t async_{};
  Environment* const environment_;
  // nullptr once it is closing.
  Owner* owner_;
};

}  // namespace sql_rest
