// The state of the addon in one JavaScript environment (the main thread or a worker): its loop and the addon's open
// handles. Node aborts the process when a worker's loop still has handles after clean-up, so a clean-up hook closes
// them and waits until they are closed.
#pragma once

#include <node_api.h>
#include <uv.h>

#include <vector>

namespace sql_rest {

// Closable is an object with libuv handles, which the environment closes when it ends.
class Closable {
 public:
  virtual ~Closable() = default;
  // CloseForTeardown begins to close. It calls Environment::Unregister exactly once, at once or in a close callback.
  virtual void CloseForTeardown() = 0;
};

class Environment {
 public:
  // Enter returns the calling thread's environment, which the first call creates; nullptr, with a pending JavaScript
  // exception, when Node rejects the clean-up hook or has no loop.
  static Environment* Enter(napi_env env);

  // Current returns the calling thread's environment; nullptr without one, or once its clean-up has begun.
  static Environment* Current() noexcept;

  uv_loop_t* loop() const noexcept { return loop_; }
  void Register(Closable* closable) { open_.push_back(closable); }
  void Unregister(Closable* closable);

  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  explicit Environment(uv_loop_t* loop) noexcept : loop_(loop) {}
  static void Teardown(napi_async_cleanup_hook_handle hook, void* data);
  void FinishIfEmpty();

  uv_loop_t* const loop_;
  // In order of registration; closed in reverse order.
  std::vector<Closable*> open_;
  // Set once the clean-up has begun.
  napi_async_cleanup_hook_handle ending_ = nullptr;
};

}  // namespace sql_rest
