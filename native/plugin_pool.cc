// One mutex guards the queue, the workers and the libraries; it is never held while plugin code runs or is loaded.
#include "plugin_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>

namespace sql_rest {
namespace {

using Clock = std::chrono::steady_clock;

// The usual stack size of a main thread, which plugins may rely on.
constexpr std::size_t kStackBytes = 8u << 20;

// Bounds of the interval at which the watchdog checks the time of calls.
constexpr std::chrono::milliseconds kMinInterval{1};
constexpr std::chrono::milliseconds kMaxInterval{100};

constexpr std::chrono::milliseconds kMemoryInterval{250};

// Interval of kAlive while calls run: its absence shows that a plugin has corrupted this process.
constexpr std::chrono::milliseconds kAliveInterval{500};

// Most threads: twice the maximum of plugins.threads, for as many overdue calls.
constexpr std::size_t kMaxThreads = 512;

// Static, because signal handlers read them.
std::atomic<std::uint32_t> last_begun{0};
std::atomic<bool> stopped{false};
// Whether this process was forked by a plugin.
std::atomic<bool> forked{false};
thread_local std::uint32_t current_call = 0;
thread_local bool loading = false;

// ResidentMemory returns bytes, 0 when they cannot be read.
std::size_t ResidentMemory() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const int read = std::fscanf(file, "%*u %lu", &pages);
  std::fclose(file);
  return read == 1 ? pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

struct PluginPool::Library {
  explicit Library(std::vector<char> content) : bytes(std::move(content)) {}

  // nullptr until it is loaded, which happens once.
  std::atomic<PluginLibrary*> loaded{nullptr};
  // Locked while it is loaded; guards the members below.
  std::mutex mutex;
  std::vector<char> bytes;
  bool failed = false;
  std::string message;
  std::string detail;
};

struct PluginPool::Worker {
  // Index in workers_.
  std::size_t slot = 0;
  bool busy = false;
  std::uint32_t call = 0;
  Clock::time_point since;
  // The call has timed out, and its failure was reported.
  bool overdue = false;
  // Another thread was started in place of this one.
  bool replaced = false;
  // kStuck was reported for the call.
  bool stuck = false;
  // The call is loading its library, or waiting for another thread that does.
  std::atomic<bool> loading{false};
};

// ThreadExitGuard handles a handler that ends its thread: pthread_exit unwinds the stack and runs this destructor.
class PluginPool::ThreadExitGuard {
 public:
  ThreadExitGuard(PluginPool* pool, Worker* worker) : pool_(pool), worker_(worker) {}
  ~ThreadExitGuard() {
    if (pool_ == nullptr) return;
    const std::uint32_t call = worker_->call;
    const bool awaited = pool_->Finish(worker_);
    const bool replaced = worker_->replaced;
    {
      const std::lock_guard<std::mutex> lock(pool_->mutex_);
      if (!replaced) pool_->live_--;
      pool_->workers_[worker_->slot] = nullptr;
      pool_->StartThreads();
    }
    if (awaited)
      pool_->records_->Add(PluginRecordKind::kFailed, call,
                           static_cast<std::uint16_t>(PluginFailure::kCrashed), {},
                           "the plugin ended its thread");
  }
  void Dismiss() noexcept { pool_ = nullptr; }

  ThreadExitGuard(const ThreadExitGuard&) = delete;
  ThreadExitGuard& operator=(const ThreadExitGuard&) = delete;

 private:
  PluginPool* pool_;
  Worker* const worker_;
};

PluginPool::PluginPool(PluginPoolOptions options, PluginRecordQueue* records)
    : options_(std::move(options)), records_(records) {
  pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  std::thread([this] { Watch(); }).detach();
}

void PluginPool::AddLibrary(std::string name, std::vector<char> bytes) {
  auto library = std::make_shared<Library>(std::move(bytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& entry = libraries_[std::move(name)];
  if (entry == nullptr || entry->loaded.load() == nullptr) entry = std::move(library);
}

void PluginPool::Push(std::vector<PluginCall> calls) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (PluginCall& call : calls) queue_.push_back(std::move(call));
  StartThreads();
  if (!waking_) WakeOne();
}

// Requires the mutex. Wakes one thread at a time: until it runs, busy threads may take the short calls.
void PluginPool::WakeOne() {
  waking_ = idle_ > 0 && !queue_.empty();
  if (waking_) work_.notify_one();
}

void PluginPool::Abandon(std::vector<std::uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto abandoned = [this, &ids](const PluginCall& call) {
    if (!std::binary_search(ids.begin(), ids.end(), call.id)) return false;
    records_->Add(PluginRecordKind::kReturned, call.id);
    return true;
  };
  queue_.erase(std::remove_if(queue_.begin(), queue_.end(), abandoned), queue_.end());
}

void PluginPool::Retire() {
  std::deque<PluginCall> calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls.swap(queue_);
  }
  for (const PluginCall& call : calls) records_->Add(PluginRecordKind::kReturned, call.id);
  records_->Add(PluginRecordKind::kRetired, 0);
}

std::uint32_t PluginPool::StopQueue() noexcept {
  stopped.store(true);
  return last_begun.load();
}

std::uint32_t PluginPool::CurrentCall() noexcept { return current_call; }

bool PluginPool::IsLoading() noexcept { return loading; }

// Requires the mutex.
void PluginPool::StartThreads() {
  while (live_ < options_.threads && queue_.size() > idle_) {
    if (StartThread()) continue;
    if (live_ > 0) return;
    // Without any thread, queued calls would wait for ever.
    for (const PluginCall& call : queue_)
      records_->Add(PluginRecordKind::kFailed, call.id,
                    static_cast<std::uint16_t>(PluginFailure::kCrashed), {},
                    "no thread could be started for the plugin");
    queue_.clear();
  }
}

// Requires the mutex.
bool PluginPool::StartThread() {
  auto slot = static_cast<std::size_t>(std::find(workers_.begin(), workers_.end(), nullptr) -
                                       workers_.begin());
  if (slot == kMaxThreads) return false;
  if (slot == workers_.size()) workers_.emplace_back();
  auto worker = std::make_unique<Worker>();
  worker->slot = slot;
  struct Start {
    PluginPool* pool;
    Worker* worker;
  };
  auto start = std::make_unique<Start>(Start{this, worker.get()});
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<Start> owned(static_cast<Start*>(argument));
    const auto [pool, worker] = *owned;
    if (pool->options_.prepare_thread) pool->options_.prepare_thread();
    pool->Work(worker);
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, run, start.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) return false;
  static_cast<void>(start.release());
  workers_[slot] = std::move(worker);
  live_++;
  idle_++;  // until Work takes a call
  return true;
}

void PluginPool::Work(Worker* self) {
  std::unique_lock<std::mutex> lock(mutex_);
  waking_ = false;  // a new thread counts as idle, so WakeOne may have chosen it
  for (;;) {
    while (queue_.empty()) {
      work_.wait(lock);
      waking_ = false;
    }
    idle_--;
    PluginCall call = std::move(queue_.front());
    queue_.pop_front();
    last_begun.store(call.id);
    // Sequentially consistent: either StopQueue returns this call as begun, or this thread sees `stopped`. Otherwise
    // the call would run here and again in the next process.
    while (stopped.load()) pause();
    const auto found = libraries_.find(call.library);
    const std::shared_ptr<Library> library = found == libraries_.end() ? nullptr : found->second;
    self->busy = true;
    self->call = call.id;
    self->since = Clock::now();
    if (!waking_) WakeOne();
    lock.unlock();
    current_call = call.id;
    PluginResult result;
    {
      ThreadExitGuard guard(this, self);
      RunCall(self, call, library.get(), &result);
      guard.Dismiss();
    }
    const bool awaited = Finish(self);
    if (awaited && result.failure == PluginFailure::kNone)
      records_->Add(result.has_content_type ? PluginRecordKind::kTyped : PluginRecordKind::kJson,
                    call.id, result.status, result.head, result.body);
    else if (awaited)
      records_->Add(PluginRecordKind::kFailed, call.id, static_cast<std::uint16_t>(result.failure),
                    result.head, result.body);
    lock.lock();
    if (self->replaced) {
      workers_[self->slot] = nullptr;
      return;
    }
    idle_++;
  }
}

bool PluginPool::Finish(Worker* self) {
  // A child forked by the plugin must not continue: the parent reports the result, and the child would never exit.
  if (forked.load()) _exit(0);
  current_call = 0;
  loading = false;
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool awaited = !self->overdue;
  self->busy = false;
  self->overdue = false;
  self->stuck = false;
  self->loading.store(false);  // in case a constructor of the library ended the thread
  if (self->replaced) replaced_--;
  return awaited;
}

void PluginPool::RunCall(Worker* self, const PluginCall& call, Library* library,
                         PluginResult* result) {
  const std::string name(call.library);
  if (library == nullptr) {
    result->Fail(PluginFailure::kLoadFailed, "plugin could not be loaded, check your service logs",
                 "it was called before it was there");
    return;
  }
  PluginLibrary* loaded = library->loaded.load(std::memory_order_acquire);
  if (loaded == nullptr) {
    self->loading.store(true);
    loaded = Load(library, name, result);
    self->loading.store(false);
  }
  if (loaded == nullptr) return;
  PluginLibrary::Found found = loaded->Find(call.method, call.function);
  switch (found.lookup) {
    case PluginLibrary::Lookup::kFound:
      RunPluginCall(found.handler, call, options_.max_response, result);
      break;
    case PluginLibrary::Lookup::kNotFound:
      result->Fail(PluginFailure::kHandlerNotFound, std::move(found.message));
      break;
    case PluginLibrary::Lookup::kUndeclaredForm:
      result->Fail(PluginFailure::kLoadFailed, std::move(found.message));
      break;
  }
}

// The first call loads the library; others wait for the mutex, which counts towards their time limit.
PluginLibrary* PluginPool::Load(Library* library, const std::string& name, PluginResult* result) {
  const std::lock_guard<std::mutex> lock(library->mutex);
  PluginLibrary* loaded = library->loaded.load(std::memory_order_acquire);
  if (loaded == nullptr && !library->failed) {
    loading = true;
    loaded =
        PluginLibrary::Load(name, library->bytes, &library->message, &library->detail).release();
    loading = false;
    library->bytes = {};
    library->failed = loaded == nullptr;
    library->loaded.store(loaded, std::memory_order_release);
    records_->Add(library->failed ? PluginRecordKind::kUnloadable : PluginRecordKind::kLoaded, 0, 0,
                  {}, name);
  }
  if (loaded == nullptr)
    result->Fail(PluginFailure::kLoadFailed, library->message, library->detail);
  return loaded;
}

void PluginPool::Watch() {
  const auto interval = std::clamp(options_.timeout / 8, kMinInterval, kMaxInterval);
  auto memory_checked = Clock::now();
  auto alive_reported = memory_checked;
  for (;;) {
    std::this_thread::sleep_for(interval);
    const auto now = Clock::now();
    bool busy = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      // By index, because CheckTime may append workers.
      for (std::size_t i = 0; i < workers_.size(); i++) {
        if (workers_[i] == nullptr || !workers_[i]->busy) continue;
        busy = true;
        CheckTime(workers_[i].get(), now);
      }
    }
    if (busy && now - alive_reported >= kAliveInterval) {
      alive_reported = now;
      records_->Add(PluginRecordKind::kAlive, 0);
    }
    if (options_.max_memory == 0 || now - memory_checked < kMemoryInterval) continue;
    memory_checked = now;
    CheckMemory();
  }
}

// Requires the mutex.
void PluginPool::CheckTime(Worker* worker, Clock::time_point now) {
  const auto taken = now - worker->since;
  if (!worker->overdue && taken >= options_.timeout) {
    worker->overdue = true;
    records_->Add(
        PluginRecordKind::kFailed, worker->call,
        static_cast<std::uint16_t>(PluginFailure::kTimeout), {},
        "the plugin took longer than " + std::to_string(options_.timeout.count()) + " ms");
    const bool replaced = replaced_ < options_.threads;
    if (replaced) {
      replaced_++;
      live_--;
      worker->replaced = true;
      StartThreads();
    }
    // A new thread does not help while a library is loading, because the loader's lock blocks all other loads.
    if (replaced && !worker->loading.load()) return;
    worker->stuck = true;
    records_->Add(PluginRecordKind::kStuck, worker->call);
  } else if (worker->overdue && !worker->stuck && taken >= 2 * options_.timeout) {
    worker->stuck = true;
    records_->Add(PluginRecordKind::kStuck, worker->call);
  }
}

void PluginPool::CheckMemory() {
  if (memory_reports_ == 2 || ResidentMemory() / (memory_reports_ + 1) <= options_.max_memory)
    return;
  memory_reports_++;
  records_->Add(PluginRecordKind::kOverMemory, 0, static_cast<std::uint16_t>(memory_reports_));
}

}  // namespace sql_rest
