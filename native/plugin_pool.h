// The threads that run plugin calls: a bounded number of threads, one queue, and a watchdog for the time limit of
// calls. A handler cannot be interrupted: an overdue call fails, its thread is replaced, and its late result is
// discarded. Plain C++, no N-API.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugin_call.h"
#include "plugin_wire.h"

namespace sql_rest {

struct PluginPoolOptions {
  // Most calls that run at a time, not counting as many overdue calls whose threads were replaced.
  unsigned threads = 1;
  // Time limit of a call.
  std::chrono::milliseconds timeout{60'000};
  // Most bytes of a response's body.
  std::size_t max_response = 0;
  // Resident bytes of the process above which kOverMemory is reported, and again above twice as many; 0 for no limit.
  std::size_t max_memory = 0;
  // Called on each thread before its first call.
  std::function<void()> prepare_thread;
};

// PluginPool is never destroyed, because its threads may never end.
class PluginPool {
 public:
  // `records` receives the results of calls. It must outlive the pool.
  PluginPool(PluginPoolOptions options, PluginRecordQueue* records);

  // AddLibrary stores the bytes of a library, unless it is loaded already.
  void AddLibrary(std::string name, std::vector<char> bytes);
  void Push(std::vector<PluginCall> calls);
  // Abandon returns the given calls that have not begun (kReturned).
  void Abandon(std::vector<std::uint32_t> ids);
  // Retire returns all calls that have not begun (kReturned), then reports kRetired.
  void Retire();

  // StopQueue prevents threads from beginning further calls, permanently, and returns the id of the call that began
  // last (0: none); all calls pushed before it have begun too. Async-signal-safe.
  static std::uint32_t StopQueue() noexcept;
  // CurrentCall returns the id of the call that the calling thread runs (0: none). Async-signal-safe.
  static std::uint32_t CurrentCall() noexcept;
  // IsLoading returns whether that call is loading its library. Async-signal-safe.
  static bool IsLoading() noexcept;

  PluginPool(const PluginPool&) = delete;
  PluginPool& operator=(const PluginPool&) = delete;

 private:
  class ThreadExitGuard;
  struct Library;
  struct Worker;

  bool StartThread();
  void StartThreads();
  void WakeOne();
  void Work(Worker* self);
  void RunCall(Worker* self, const PluginCall& call, Library* library, PluginResult* result);
  PluginLibrary* Load(Library* library, const std::string& name, PluginResult* result);
  // Ends the call of a thread; false when its result is discarded because it was overdue.
  bool Finish(Worker* self);
  void Watch();
  void CheckTime(Worker* worker, std::chrono::steady_clock::time_point now);
  void CheckMemory();

  const PluginPoolOptions options_;
  PluginRecordQueue* const records_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<PluginCall> queue_;
  std::map<std::string, std::shared_ptr<Library>, std::less<>> libraries_;
  // nullptr in the slots of threads that have ended.
  std::vector<std::unique_ptr<Worker>> workers_;
  // Threads that accept calls, without those replaced because of an overdue call.
  unsigned live_ = 0;
  unsigned idle_ = 0;
  // Whether an idle thread was woken and has not run yet.
  bool waking_ = false;
  // Threads that were replaced and still run their overdue call.
  unsigned replaced_ = 0;
  // Number of kOverMemory reports: one at the limit, one at twice the limit.
  unsigned memory_reports_ = 0;
};

}  // namespace sql_rest
