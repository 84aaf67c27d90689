// SocketWatcher, for JavaScript: reports on the calling thread's own loop when a socket owned by libpq is readable or
// writable.
#pragma once

#include <napi.h>

#include "environment.h"

namespace sql_rest {

class SocketPoll;

// new SocketWatcher(fd, onEvent): see src/native/socket-watcher.ts. Throws TypeError for wrong arguments, Error when the descriptor cannot be
// watched or the watcher is closed.
class SocketWatcher final : public Napi::ObjectWrap<SocketWatcher> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit SocketWatcher(const Napi::CallbackInfo& info);
  ~SocketWatcher() override;

  // OnEvent runs the callback; an exception in it is uncaught.
  void OnEvent(bool readable, bool writable, int waiting);
  // Detach drops the poll handle, which the environment closes.
  void Detach() noexcept { poll_ = nullptr; }

 private:
  void Watch(const Napi::CallbackInfo& info);
  Napi::Value Arrived(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);
  void KeepAlive(bool alive);

  SocketPoll* poll_ = nullptr;
  bool kept_alive_ = false;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

}  // namespace sql_rest
