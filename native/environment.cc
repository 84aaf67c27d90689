// Closing handles takes turns of the event loop, so the clean-up hook is asynchronous: Node waits for it.
#include "environment.h"

#include <algorithm>

namespace sql_rest {
namespace {

thread_local Environment* current = nullptr;

// Node has libuv measure how long a loop waits, for which each wait is two system calls: one that returns at once, and
// one that waits. Nothing here asks for that time, and libuv has no call that ends the measurement, so its flag is cleared,
// provided that a loop made for it shows where that is. Without that, everything works, only slower.
void StopMeasuringWaits(uv_loop_t* loop) {
  uv_loop_t sample;
  if (uv_loop_init(&sample) != 0) return;
  const auto flags = [](uv_loop_t* of) { return static_cast<unsigned int*>(of->internal_fields); };
  const unsigned int before = *flags(&sample);
  const bool set = uv_loop_configure(&sample, UV_METRICS_IDLE_TIME) == 0;
  const unsigned int flag = *flags(&sample) & ~before;
  if (set && flag != 0 && (flag & (flag - 1)) == 0) *flags(loop) &= ~flag;
  uv_loop_close(&sample);
}

}  // namespace

Environment* Environment::Enter(napi_env env) {
  if (current != nullptr) return current;
  uv_loop_t* loop = nullptr;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) {
    napi_throw_error(env, nullptr, "the addon found no event loop on this thread");
    return nullptr;
  }
  auto* self = new Environment(loop);
  if (napi_add_async_cleanup_hook(env, Teardown, self, nullptr) != napi_ok) {
    delete self;
    napi_throw_error(env, nullptr, "the addon could not register its clean-up");
    return nullptr;
  }
  StopMeasuringWaits(loop);
  current = self;
  return self;
}

Environment* Environment::Current() noexcept { return current; }

void Environment::Unregister(Closable* closable) {
  open_.erase(std::remove(open_.begin(), open_.end(), closable), open_.end());
  if (ending_ != nullptr) FinishIfEmpty();
}

void Environment::Teardown(napi_async_cleanup_hook_handle hook, void* data) {
  auto* self = static_cast<Environment*>(data);
  current = nullptr;
  const std::vector<Closable*> open = self->open_;
  std::for_each(open.rbegin(), open.rend(),
                [](Closable* closable) { closable->CloseForTeardown(); });
  // Set only now: with it set, Unregister may delete this object.
  self->ending_ = hook;
  self->FinishIfEmpty();
}

void Environment::FinishIfEmpty() {
  if (!open_.empty()) return;
  const napi_async_cleanup_hook_handle hook = ending_;
  delete this;
  napi_remove_async_cleanup_hook(hook);
}

}  // namespace sql_rest
