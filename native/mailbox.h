// Mailbox, for JavaScript: messages between two threads of the process, without the cost of a MessagePort. A message is
// a string and perhaps large values, which are handed over and not copied. What it does not do: say whether a message
// was read; that the other thread has ended is for its owner to notice.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "loop_waker.h"

namespace sql_rest {

struct MailboxQueue;

// new Mailbox(onMessage): onMessage(text, bodies), where bodies is an array of ArrayBuffers or undefined; an exception
// in it is an uncaught one. Does not keep the thread alive. Property: address, a number that other threads post to.
// Methods: post(address, text, bodies?) where bodies are LargeValues (empty afterwards), returns false when nobody has
// that address any more; close().
class Mailbox final : public Napi::ObjectWrap<Mailbox>, private LoopWaker::Owner {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit Mailbox(const Napi::CallbackInfo& info);
  ~Mailbox() override;

 private:
  // Runs the callback for all that has come.
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

// releaseBuffer(buffer): frees the memory of a body that is not needed any more, instead of some time later.
Napi::Value ReleaseBuffer(const Napi::CallbackInfo& info);

}  // namespace sql_rest
