// One mutex guards queue, workers and the table of libraries; it is never held while a plugin runs or is loaded.
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

// Plugins may need as much stack as a program's first thread usually has.
constexpr std::size_t kStackBytes = 8u << 20;

// How often the times of calls are looked at, at the most and at the least.
constexpr std::chrono::milliseconds kQuickest{1};
constexpr std::chrono::milliseconds kSlowest{100};

constexpr std::chrono::milliseconds kMemoryInterval{250};

// How often it is told that calls run: what spoils this process may leave it unable to tell anything.
constexpr std::chrono::milliseconds kAliveInterval{500};

// Threads there may be: twice as many as plugins.threads allows.
constexpr std::size_t kMostThreads = 512;

// Static, for signal handlers.
std::atomic<std::uint32_t> last_begun{0};
std::atomic<bool> stopped{false};
// Whether this is a process that a plugin forked.
std::atomic<bool> forked{false};
thread_local std::uint32_t current = 0;
thread_local bool loading = false;

// Resident is the process's resident memory, 0 where that cannot be read.
std::size_t Resident() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const int read = std::fscanf(file, "%*u %lu", &pages);
  std::fclose(file);
  return read == 1 ? pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

// Library is one by the name that paths have for it.
struct PluginPool::Library {
  explicit Library(std::vector<char> content) : bytes(std::move(content)) {}

  // nullptr until it is loaded, which it is once.
  std::atomic<PluginLibrary*> loaded{nullptr};
  // Held while it is loaded; guards the rest.
  std::mutex mutex;
  std::vector<char> bytes;
  bool failed = false;
  std::string message;
  std::string detail;
};

// Worker is a thread.
struct PluginPool::Worker {
  std::size_t place = 0;
  // Whether it runs a call, which one, and since when.
  bool busy = false;
  std::uint32_t call = 0;
  Clock::time_point since;
  // What is known of a call that takes too long.
  bool overdue = false;
  bool replaced = false;
  bool stuck = false;
  // Whether the call loads its library, or waits for that.
  std::atomic<bool> loads{false};
};

// Leaving notices that a handler ended its thread (pthread_exit), which unwinds the stack through here.
class PluginPool::Leaving {
 public:
  Leaving(PluginPool* pool, Worker* worker) : pool_(pool), worker_(worker) {}
  ~Leaving() {
    if (pool_ == nullptr) return;
    const std::uint32_t call = worker_->call;
    const bool awaited = pool_->Finish(worker_);
    const bool replaced = worker_->replaced;
    {
      const std::lock_guard<std::mutex> lock(pool_->mutex_);
      if (!replaced) pool_->live_--;
      pool_->workers_[worker_->place] = nullptr;
      pool_->StartThreads();
    }
    if (awaited)
      pool_->records_->Add(PluginRecord::kFailed, call,
                           static_cast<std::uint16_t>(PluginFailure::kCrashed), {},
                           "the plugin ended its thread");
  }
  void Stay() noexcept { pool_ = nullptr; }

  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;

 private:
  PluginPool* pool_;
  Worker* const worker_;
};

PluginPool::PluginPool(PluginPoolOptions options, PluginRecords* records)
    : options_(std::move(options)), records_(records) {
  pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  std::thread([this] { Watch(); }).detach();
}

void PluginPool::AddLibrary(std::string name, std::vector<char> bytes) {
  auto library = std::make_shared<Library>(std::move(bytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& place = libraries_[std::move(name)];
  if (place == nullptr || place->loaded.load() == nullptr) place = std::move(library);
}

void PluginPool::Push(std::vector<PluginCall> calls) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (PluginCall& call : calls) queue_.push_back(std::move(call));
  StartThreads();
  if (!waking_) WakeOne();
}

// With the mutex held. One thread at a time: while it comes, those that run take what takes them no time.
void PluginPool::WakeOne() {
  waking_ = idle_ > 0 && !queue_.empty();
  if (waking_) work_.notify_one();
}

void PluginPool::Abandon(std::vector<std::uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto gone = [this, &ids](const PluginCall& call) {
    if (!std::binary_search(ids.begin(), ids.end(), call.id)) return false;
    records_->Add(PluginRecord::kReturned, call.id);
    return true;
  };
  queue_.erase(std::remove_if(queue_.begin(), queue_.end(), gone), queue_.end());
}

void PluginPool::Retire() {
  std::deque<PluginCall> calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls.swap(queue_);
  }
  for (const PluginCall& call : calls) records_->Add(PluginRecord::kReturned, call.id);
  records_->Add(PluginRecord::kRetired, 0);
}

std::uint32_t PluginPool::StopBeginning() noexcept {
  stopped.store(true);
  return last_begun.load();
}

std::uint32_t PluginPool::CurrentCall() noexcept { return current; }

bool PluginPool::CurrentLoads() noexcept { return loading; }

// With the mutex held.
void PluginPool::StartThreads() {
  while (live_ < options_.threads && queue_.size() > idle_) {
    if (StartThread()) continue;
    if (live_ > 0) return;
    // Nobody is there, or will be: what waits would wait for ever.
    for (const PluginCall& call : queue_)
      records_->Add(PluginRecord::kFailed, call.id,
                    static_cast<std::uint16_t>(PluginFailure::kCrashed), {},
                    "no thread could be started for the plugin");
    queue_.clear();
  }
}

// With the mutex held.
bool PluginPool::StartThread() {
  auto place = static_cast<std::size_t>(std::find(workers_.begin(), workers_.end(), nullptr) -
                                        workers_.begin());
  if (place == kMostThreads) return false;
  if (place == workers_.size()) workers_.emplace_back();
  auto worker = std::make_unique<Worker>();
  worker->place = place;
  struct Start {
    PluginPool* pool;
    Worker* worker;
  };
  auto start = std::make_unique<Start>(Start{this, worker.get()});
  const auto run = [](void* given) -> void* {
    const std::unique_ptr<Start> self(static_cast<Start*>(given));
    const Start own = *self;
    if (own.pool->options_.prepare_thread) own.pool->options_.prepare_thread();
    own.pool->Work(own.worker);
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
  workers_[place] = std::move(worker);
  live_++;
  idle_++;  // until it looks for a call
  return true;
}

void PluginPool::Work(Worker* self) {
  std::unique_lock<std::mutex> lock(mutex_);
  waking_ = false;  // it was counted as idle, and may have been meant
  for (;;) {
    while (queue_.empty()) {
      work_.wait(lock);
      waking_ = false;
    }
    idle_--;
    PluginCall call = std::move(queue_.front());
    queue_.pop_front();
    last_begun.store(call.id);
    // Whoever has stopped them has seen this call or is seen here: otherwise it would run here and again elsewhere.
    while (stopped.load()) pause();
    const auto found = libraries_.find(call.library);
    const std::shared_ptr<Library> library = found == libraries_.end() ? nullptr : found->second;
    self->busy = true;
    self->call = call.id;
    self->since = Clock::now();
    if (!waking_) WakeOne();
    lock.unlock();
    current = call.id;
    PluginAnswer answer;
    {
      Leaving leaving(this, self);
      Answer(self, call, library.get(), &answer);
      leaving.Stay();
    }
    const bool awaited = Finish(self);
    if (awaited && answer.failure == PluginFailure::kNone)
      records_->Add(answer.own_type ? PluginRecord::kTyped : PluginRecord::kJson, call.id,
                    answer.status, answer.head, answer.body);
    else if (awaited)
      records_->Add(PluginRecord::kFailed, call.id, static_cast<std::uint16_t>(answer.failure),
                    answer.head, answer.body);
    lock.lock();
    if (self->replaced) {
      workers_[self->place] = nullptr;
      return;
    }
    idle_++;
  }
}

bool PluginPool::Finish(Worker* self) {
  // Its call is answered where it was begun, and here nobody would ever end what it returned to.
  if (forked.load()) _exit(0);
  current = 0;
  loading = false;
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool awaited = !self->overdue;
  self->busy = false;
  self->overdue = false;
  self->stuck = false;
  self->loads.store(false);  // where a library ended the thread
  if (self->replaced) strays_--;
  return awaited;
}

void PluginPool::Answer(Worker* self, const PluginCall& call, Library* library,
                        PluginAnswer* answer) {
  const std::string name(call.library);
  if (library == nullptr) {
    answer->Fail(PluginFailure::kLoadFailed, "plugin could not be loaded, check your service logs",
                 "it was called before it was there");
    return;
  }
  PluginLibrary* loaded = library->loaded.load(std::memory_order_acquire);
  if (loaded == nullptr) {
    self->loads.store(true);
    loaded = Loaded(library, name, answer);
    self->loads.store(false);
  }
  if (loaded == nullptr) return;
  PluginLibrary::Found found = loaded->Find(call.method, call.function);
  switch (found.lookup) {
    case PluginLibrary::Lookup::kFound:
      RunPluginCall(found.handler, call, options_.max_response, answer);
      break;
    case PluginLibrary::Lookup::kNotFound:
      answer->Fail(PluginFailure::kHandlerNotFound, std::move(found.message));
      break;
    case PluginLibrary::Lookup::kUndeclaredForm:
      answer->Fail(PluginFailure::kLoadFailed, std::move(found.message));
      break;
  }
}

// Whoever comes first loads it; the others wait here, which counts as their own time.
PluginLibrary* PluginPool::Loaded(Library* library, const std::string& name, PluginAnswer* answer) {
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
    records_->Add(library->failed ? PluginRecord::kUnloadable : PluginRecord::kLoaded, 0, 0, {},
                  name);
  }
  if (loaded == nullptr)
    answer->Fail(PluginFailure::kLoadFailed, library->message, library->detail);
  return loaded;
}

void PluginPool::Watch() {
  const auto interval = std::clamp(options_.timeout / 8, kQuickest, kSlowest);
  auto looked = Clock::now();
  auto told = looked;
  for (;;) {
    std::this_thread::sleep_for(interval);
    const auto now = Clock::now();
    bool busy = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      // By number: threads may be started meanwhile.
      for (std::size_t i = 0; i < workers_.size(); i++) {
        if (workers_[i] == nullptr || !workers_[i]->busy) continue;
        busy = true;
        LookAt(workers_[i].get(), now);
      }
    }
    if (busy && now - told >= kAliveInterval) {
      told = now;
      records_->Add(PluginRecord::kAlive, 0);
    }
    if (options_.max_memory == 0 || now - looked < kMemoryInterval) continue;
    looked = now;
    LookAtMemory();
  }
}

// With the mutex held.
void PluginPool::LookAt(Worker* worker, Clock::time_point now) {
  const auto taken = now - worker->since;
  if (!worker->overdue && taken >= options_.timeout) {
    worker->overdue = true;
    records_->Add(
        PluginRecord::kFailed, worker->call, static_cast<std::uint16_t>(PluginFailure::kTimeout),
        {}, "the plugin took longer than " + std::to_string(options_.timeout.count()) + " ms");
    const bool replaced = strays_ < options_.threads;
    if (replaced) {
      strays_++;
      live_--;
      worker->replaced = true;
      StartThreads();
    }
    // While one library is loaded the loader takes no other: threads do not help.
    if (replaced && !worker->loads.load()) return;
    worker->stuck = true;
    records_->Add(PluginRecord::kStuck, worker->call);
  } else if (worker->overdue && !worker->stuck && taken >= 2 * options_.timeout) {
    worker->stuck = true;
    records_->Add(PluginRecord::kStuck, worker->call);
  }
}

void PluginPool::LookAtMemory() {
  if (swollen_ == 2 || Resident() / (swollen_ + 1) <= options_.max_memory) return;
  swollen_++;
  records_->Add(PluginRecord::kSwollen, 0, static_cast<std::uint16_t>(swollen_));
}

}  // namespace sql_rest
