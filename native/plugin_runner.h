// PluginPool, for JavaScript: the threads that run plugin calls in this process. See src/native/plugin-pool.ts.
#pragma once

#include <napi.h>

#include <memory>
#include <string_view>

#include "loop_waker.h"
#include "plugin_pool.h"

namespace sql_rest {

struct PluginWake;

// new PluginPool({threads, timeout, maxResponse}, onRecords): onRecords(bytes) with an ArrayBuffer of whole records; an
// exception in it is an uncaught one. Does not keep the thread alive. Methods: calls(packed, body?), library(name,
// bytes), abandon(ids), close(). The pool itself stays for as long as the process, which ends without the destructors of
// plugins once it was closed.
class PluginRunner final : public Napi::ObjectWrap<PluginRunner>, private LoopWaker::Owner {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit PluginRunner(const Napi::CallbackInfo& info);
  ~PluginRunner() override;

 private:
  // Runs the callback for all that has come.
  void Woken() override;
  void Closing() override;
  void Detach() override { waker_ = nullptr; }

  void Calls(const Napi::CallbackInfo& info);
  void Library(const Napi::CallbackInfo& info);
  void Abandon(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  LoopWaker* waker_ = nullptr;
  // The pool's own, as is the pool; see PluginPool.
  PluginWake* wake_ = nullptr;
  PluginPool* pool_ = nullptr;
  PluginRecords* records_ = nullptr;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

}  // namespace sql_rest
