// PluginPool, for JavaScript: the threads that run plugin calls in this process. See src/native/plugin-pool.ts.
#pragma once

#include <napi.h>

#include <memory>
#include <string_view>

#include "environment.h"
#include "plugin_pool.h"

namespace sql_rest {

class PluginRunnerHandle;

// new PluginPool({threads, timeout, maxResponse}, onRecords): onRecords(bytes) with an ArrayBuffer of whole records; an
// exception in it is an uncaught one. Does not keep the thread alive. Methods: calls(packed, body?), library(name,
// bytes), abandon(ids), close(). The pool itself stays for as long as the process, which ends without the destructors of
// plugins once it was closed.
class PluginRunner final : public Napi::ObjectWrap<PluginRunner> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit PluginRunner(const Napi::CallbackInfo& info);
  ~PluginRunner() override;

  // Deliver runs the callback for all that has come.
  void Deliver();
  // Detach forgets the handle, which is being closed by the environment.
  void Detach() noexcept { handle_ = nullptr; }

 private:
  void Calls(const Napi::CallbackInfo& info);
  void Library(const Napi::CallbackInfo& info);
  void Abandon(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  PluginRunnerHandle* handle_ = nullptr;
  // Owned by its own threads; see PluginPool.
  PluginPool* pool_ = nullptr;
  PluginRecords* records_ = nullptr;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

}  // namespace sql_rest
