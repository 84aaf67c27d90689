// SocketWatcher, for JavaScript: tells when a socket that somebody else owns can be read or written, on the calling
// thread's own loop.
#pragma once

#include <napi.h>

#include "environment.h"

namespace sql_rest {

class SocketPoll;

// new SocketWatcher(fd, onEvent): onEvent(readable, writable, arrived) with the number of bytes that have come since
// the last call. Methods: watch(mode) with 0 stop, 1 readable, 2 writable, 3 both; passed() leaves what was read by now
// out of the next number; close(). Throws TypeError on wrong arguments, Error when the descriptor cannot be watched or
// the watcher is closed.
class SocketWatcher final : public Napi::ObjectWrap<SocketWatcher> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit SocketWatcher(const Napi::CallbackInfo& info);
  ~SocketWatcher() override;

  // OnEvent runs the callback; an exception in it becomes an uncaught one.
  void OnEvent(bool readable, bool writable, int arrived);
  // Detach forgets the poll, which is being closed by the environment.
  void Detach() noexcept { poll_ = nullptr; }

 private:
  void Watch(const Napi::CallbackInfo& info);
  void Passed(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);
  void Hold(bool held);

  SocketPoll* poll_ = nullptr;
  bool held_ = false;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

}  // namespace sql_rest
