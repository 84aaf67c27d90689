// SocketWatcher, for JavaScript: reports on the calling thread's own loop when a socket owned by libpq is readable or
// writable.
#pragma once

#include <napi.h>

#include "environment.h"

namespace sql_rest {

class SocketPoll;

// new SocketWatcher(fd, onEvent): onEvent(readable, writable, arrived) with the number of bytes that have arrived since
// the last call. Methods: watch(mode) with 0 stop, 1 readable, 2 writable, 3 both; passed() excludes the bytes read so
// far from the next `arrived`; close(). Throws TypeError for wrong arguments, Error when the descriptor cannot be
// watched or the watcher is closed.
class SocketWatcher final : public Napi::ObjectWrap<SocketWatcher> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit SocketWatcher(const Napi::CallbackInfo& info);
  ~SocketWatcher() override;

  // OnEvent runs the callback; an exception in it is uncaught.
  void OnEvent(bool readable, bool writable, int arrived);
  // Detach drops the poll handle, which the environment closes.
  void Detach() noexcept { poll_ = nullptr; }

 private:
  void Watch(const Napi::CallbackInfo& info);
  void Passed(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);
  void KeepAlive(bool alive);

  SocketPoll* poll_ = nullptr;
  bool kept_alive_ = false;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

}  // namespace sql_rest
