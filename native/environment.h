// What the addon keeps for one JavaScript environment (the main thread or a worker): its loop, and every handle the
// addon has open there. Node aborts the process when a worker's loop still has handles after its clean-up, so
// everything here is closed, and waited for, in a clean-up hook.
#pragma once

#include <node_api.h>
#include <uv.h>

#include <vector>

namespace sql_rest {

// Closable is something with libuv handles that the environment closes when it ends.
class Closable {
 public:
  virtual ~Closable() = default;
  // CloseForTeardown begins to close; calls Environment::Forget exactly once, now or in a close callback.
  virtual void CloseForTeardown() = 0;
};

class Environment {
 public:
  // Enter returns the calling thread's environment, made on the first call. Fails (nullptr, with a pending JavaScript
  // exception) only when Node refuses the clean-up hook or has no loop.
  static Environment* Enter(napi_env env);

  // Current is the calling thread's environment, or nullptr on a thread that has none or whose clean-up has begun.
  static Environment* Current() noexcept;

  uv_loop_t* loop() const noexcept { return loop_; }
  void Remember(Closable* closable) { open_.push_back(closable); }
  void Forget(Closable* closable);

  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  explicit Environment(uv_loop_t* loop) noexcept : loop_(loop) {}
  static void Teardown(napi_async_cleanup_hook_handle hook, void* data);
  void FinishIfEmpty();

  uv_loop_t* const loop_;
  // In the order in which they came: closed from the last to the first.
  std::vector<Closable*> open_;
  // Set once the clean-up has begun.
  napi_async_cleanup_hook_handle ending_ = nullptr;
};

}  // namespace sql_rest
