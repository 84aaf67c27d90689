// The JavaScript class PluginPool: the threads that run plugin calls in this process. See src/native/plugin-pool.ts.
#pragma once

#include <napi.h>

#include <memory>
#include <string_view>

#include "loop_waker.h"
#include "plugin_pool.h"

namespace sql_rest {

struct PluginPoolWake;

// new PluginPool({threads, timeout, maxResponse}, onRecords): onRecords(bytes) with an ArrayBuffer of complete records;
// an exception in it is uncaught. Does not keep the thread alive. Methods: calls(packed, body?), library(name, bytes),
// abandon(ids), close(). The C++ pool lives until the process ends, which after close() runs no destructors of plugins.
class PluginPoolBinding final : public Napi::ObjectWrap<PluginPoolBinding>,
                                private LoopWaker::Owner {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit PluginPoolBinding(const Napi::CallbackInfo& info);
  ~PluginPoolBinding() override;

 private:
  // Runs the callback for all queued records.
  void Woken() override;
  void Closing() override;
  void Detach() override { waker_ = nullptr; }

  void Calls(const Napi::CallbackInfo& info);
  void Library(const Napi::CallbackInfo& info);
  void Abandon(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  LoopWaker* waker_ = nullptr;
  // Never deleted, as PluginPool requires: its threads use them.
  PluginPoolWake* wake_ = nullptr;
  PluginPool* pool_ = nullptr;
  PluginRecordQueue* records_ = nullptr;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

}  // namespace sql_rest
