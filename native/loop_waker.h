// LoopWaker lets other threads wake the event loop of the thread that made it. Its libuv handle does not keep the
// thread alive and is closed with its environment; the object deletes itself once the handle is closed. It does what
// uv_async_t does with one system call less for each wake-up: the descriptor is never read.
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
    // Woken is called on the loop, at least once after each wake-up.
    virtual void Woken() = 0;
    // Closing is called before it is closed: no thread may wake the loop afterwards.
    virtual void Closing() = 0;
    // Detach is called after Closing when the environment closes it: the owner must drop its pointer.
    virtual void Detach() = 0;
  };

  // Make returns nullptr when the environment is ending or the handle cannot be created.
  static LoopWaker* Make(Environment* environment, Owner* owner);

  // Wake may be called on any thread, until Closing was called.
  void Wake() noexcept;
  // A second call does nothing.
  void Close();
  void CloseForTeardown() override;

 private:
  LoopWaker(Environment* environment, Owner* owner, int fd)
      : environment_(environment), fd_(fd), owner_(owner) {}

  void OnReadable();

  uv_poll_t poll_{};
  Environment* const environment_;
  // An eventfd.
  const int fd_;
  // Whether the loop reports only new wake-ups.
  bool edge_triggered_ = false;
  // nullptr once it is closing.
  Owner* owner_;
};

}  // namespace sql_rest
