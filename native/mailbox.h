// Mailbox, for JavaScript: messages between two threads of the process, cheaper than a MessagePort. A message is a
// string and optional bodies, whose memory is transferred. It does not report whether a message was read, nor that the
// other thread has ended.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "loop_waker.h"

namespace sql_rest {

struct MailboxQueue;

// new Mailbox(onMessage): onMessage(text, bodies), where bodies is an array of ArrayBuffers or undefined; an exception
// in it is uncaught. Does not keep the thread alive. Property: address, a number that other threads post to. Methods:
// post(address, text, bodies?), where bodies are strings or LargeValues (empty afterwards), returns false when the
// mailbox of that address is closed; close().
class Mailbox final : public Napi::ObjectWrap<Mailbox>, private LoopWaker::Owner {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit Mailbox(const Napi::CallbackInfo& info);
  ~Mailbox() override;

 private:
  // Runs the callback for each queued message.
  void Woken() override;
  void Closing() override;
  void Detach() override { waker_ = nullptr; }

  Napi::Value Address(const Napi::CallbackInfo& info);
  Napi::Value Post(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  LoopWaker* waker_ = nullptr;
  std::uint32_t address_ = 0;
  std::shared_ptr<MailboxQueue> queue_;
  Napi::FunctionReference callback_;
  std::unique_ptr<Napi::AsyncContext> context_;
};

// releaseBuffer(buffer): frees the memory of a body now instead of at garbage collection.
Napi::Value ReleaseBuffer(const Napi::CallbackInfo& info);

}  // namespace sql_rest
