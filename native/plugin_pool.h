// The threads that run plugin calls: a bounded number of them, one queue, and a watch over the time that each call takes.
// Plain C++, no N-API. What a handler does cannot be interrupted: a call that is over its time is answered, its thread
// replaced, and what it gives later thrown away.
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
#include "plugin_frames.h"

namespace sql_rest {

struct PluginPoolOptions {
  // Most calls that run at one time; as many again may be over their time.
  unsigned threads = 1;
  // How long a call may take.
  std::chrono::milliseconds timeout{60'000};
  // Most bytes of an answer's body.
  std::size_t max_response = 0;
  // Resident bytes of the process beyond which that is told, and again beyond twice as many, 0 for never.
  std::size_t max_memory = 0;
  // Called on each thread before it takes calls.
  std::function<void()> prepare_thread;
};

// PluginPool is made once and never destroyed, for its threads may never end.
class PluginPool {
 public:
  // `records` is told what becomes of calls, and outlives the pool.
  PluginPool(PluginPoolOptions options, PluginRecords* records);

  // AddLibrary gives the bytes of a library, in the place of one that could not be loaded.
  void AddLibrary(std::string name, std::vector<char> bytes);
  // Push queues calls.
  void Push(std::vector<PluginCall> calls);
  // Abandon gives those of some calls back that were not begun.
  void Abandon(std::vector<std::uint32_t> ids);
  // Retire gives back all calls that were not begun.
  void Retire();

  // StopBeginning keeps threads from beginning calls, for the rest of the process's life, and gives the id of the last
  // one that was begun, 0 for none: those pushed before it were begun too. Safe in a signal handler.
  static std::uint32_t StopBeginning() noexcept;
  // CurrentCall is the id of the call that the calling thread runs, 0 for none. Safe in a signal handler.
  static std::uint32_t CurrentCall() noexcept;
  // CurrentLoads tells whether that call loads its library. Safe in a signal handler.
  static bool CurrentLoads() noexcept;

  PluginPool(const PluginPool&) = delete;
  PluginPool& operator=(const PluginPool&) = delete;

 private:
  class Leaving;
  struct Library;
  struct Worker;

  bool StartThread();
  void StartThreads();
  void WakeOne();
  void Work(Worker* self);
  void Answer(Worker* self, const PluginCall& call, Library* library, PluginAnswer* answer);
  PluginLibrary* Loaded(Library* library, const std::string& name, PluginAnswer* answer);
  // Ends the call of a thread; false when nobody waits for its answer any more.
  bool Finish(Worker* self);
  void Watch();
  void LookAt(Worker* worker, std::chrono::steady_clock::time_point now);
  void LookAtMemory();

  const PluginPoolOptions options_;
  PluginRecords* const records_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<PluginCall> queue_;
  std::map<std::string, std::shared_ptr<Library>, std::less<>> libraries_;
  // Places of threads that have ended are free.
  std::vector<std::unique_ptr<Worker>> workers_;
  // Threads that take calls, without those that run one over its time and were replaced.
  unsigned live_ = 0;
  unsigned idle_ = 0;
  // Whether one that is idle was woken and has not looked yet.
  bool waking_ = false;
  // Threads with a call over its time that were replaced.
  unsigned strays_ = 0;
  // How often too much memory was told: at the limit and at twice that.
  unsigned swollen_ = 0;
};

}  // namespace sql_rest
