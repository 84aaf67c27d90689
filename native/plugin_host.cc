// The program in which plugins run: a pool of threads, and the channel to the front end that started it (descriptor 3).
// It has no JavaScript, and so none of the libraries that Node brings along, which would take the place of those that a
// plugin was linked against. It ends when the channel does, whatever runs.
//
//   plugin_host --threads N --timeout MILLISECONDS --max-response BYTES --max-memory BYTES
//   plugin_host --check FILE
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "plugin_check.h"
#include "plugin_frames.h"
#include "plugin_pool.h"

namespace sql_rest {
namespace {

constexpr int kChannel = 3;

// What a message may hold; more is a mistake of ours.
constexpr std::size_t kMaxUnits = std::size_t{1} << 28;
constexpr std::size_t kMaxBytes = std::size_t{1} << 31;

// Exit statuses of our own.
constexpr int kBadUse = 2;
constexpr int kBadChannel = 3;
constexpr int kExitedByPlugin = 4;

// Whether somebody writes to the channel. A signal handler waits for that to end, and not for ever.
std::atomic<bool> writing{false};

bool SendAll(const char* data, std::size_t length) noexcept {
  while (length > 0) {
    const ssize_t sent = send(kChannel, data, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    length -= static_cast<std::size_t>(sent);
  }
  return true;
}

// Writer sends records on a thread of its own, so that no plugin's thread waits for the front end.
class Writer {
 public:
  Writer() : records_([this] { Wake(); }) {
    std::thread([this] { Run(); }).detach();
  }
  PluginRecords* records() noexcept { return &records_; }

 private:
  void Wake() {
    const std::lock_guard<std::mutex> lock(mutex_);
    awake_ = true;
    wake_.notify_one();
  }

  void Run() {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return awake_; });
        awake_ = false;
      }
      const std::string bytes = records_.Take();
      while (writing.exchange(true)) std::this_thread::yield();  // the process ends
      if (!SendAll(bytes.data(), bytes.size())) _exit(0);
      writing.store(false);
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool awake_ = false;
  PluginRecords records_;
};

// This process; those that a plugin forks have another number and nothing to tell.
pid_t self = 0;

// How long a thread that ends the process waits for the writer.
constexpr int kTellMilliseconds = 50;

void Sleep(int milliseconds) noexcept {
  const timespec time{0, milliseconds * 1'000'000};
  nanosleep(&time, nullptr);
}

// TellEnd sends the last record: which call ends the process, and how far the others have come. Runs in signal handlers.
void TellEnd(int signal) noexcept {
  if (getpid() != self) return;
  static std::atomic<bool> told{false};
  if (told.exchange(true)) {
    // Another thread tells it, and this one would end the process before that is done.
    Sleep(2 * kTellMilliseconds);
    return;
  }
  for (int waited = 0; writing.exchange(true); waited++) {
    if (waited == kTellMilliseconds) return;
    Sleep(1);
  }
  const std::uint32_t body[2] = {PluginPool::StopBeginning(), PluginPool::CurrentLoads() ? 1u : 0u};
  char record[kRecordHead + sizeof body];
  WriteRecordHead(record, PluginRecord::kCrashed, PluginPool::CurrentCall(),
                  static_cast<std::uint16_t>(signal), 0, sizeof body);
  std::memcpy(record + kRecordHead, body, sizeof body);
  // A part of it would be worse than nothing, but a socket takes all of so little or nothing of it.
  send(kChannel, record, sizeof record, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void OnFault(int signal) {
  TellEnd(signal);
  // The default action, with its core dump, once this handler returns.
  raise(signal);
}

void OnExit() {
  if (getpid() != self) return;
  TellEnd(0);
  _exit(kExitedByPlugin);
}

// SignalStack is that of signal handlers, for as long as a thread lives.
class SignalStack {
 public:
  SignalStack() {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kBytes;
    sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64u << 10;
  const std::unique_ptr<char[]> memory_{new char[kBytes]};
};

// A handler for signals needs a stack of its own where the thread has none left.
void PrepareThread() { thread_local const SignalStack stack; }

void HandleSignals() {
  struct sigaction fault {};
  fault.sa_handler = OnFault;
  fault.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP})
    sigaction(signal, &fault, nullptr);
  // The front end decides when it ends. Not ignored: programs that a plugin starts would inherit that.
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaction(signal, &nothing, nullptr);
  // Before any plugin's own: those run first.
  std::atexit(OnExit);
  std::at_quick_exit(OnExit);
}

// Where memory runs out, this process is the one to end.
void OfferToOutOfMemoryKiller() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!write(file, "1000", 4));
  close(file);
}

// How much nicer plugins are to the machine than the rest of the service: where cores are short, what they calculate
// waits for scripts, and not the other way round.
constexpr int kNicer = 5;

// CloseInherited closes what came down from whoever started the service and did not say that it should not.
void CloseInherited() {
  constexpr unsigned kFirst = kChannel + 1;
  if (syscall(SYS_close_range, kFirst, ~0u, 0u) == 0) return;
  const long most = sysconf(_SC_OPEN_MAX);
  for (int number = kFirst; number < most; number++) close(number);
}

// Reader reads the channel.
class Reader {
 public:
  // Read gets so many bytes; false at the end of the channel.
  bool Read(void* to, std::size_t count) {
    auto* target = static_cast<char*>(to);
    while (count > 0) {
      if (from_ == until_) {
        // What is long comes without a detour.
        const bool direct = count >= buffer_.size();
        const ssize_t got =
            recv(kChannel, direct ? target : buffer_.data(), direct ? count : buffer_.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if (direct) {
          target += got;
          count -= static_cast<std::size_t>(got);
          continue;
        }
        from_ = 0;
        until_ = static_cast<std::size_t>(got);
      }
      const std::size_t part = std::min(count, until_ - from_);
      std::memcpy(target, buffer_.data() + from_, part);
      from_ += part;
      target += part;
      count -= part;
    }
    return true;
  }

 private:
  std::vector<char> buffer_ = std::vector<char>(64u << 10);
  std::size_t from_ = 0;
  std::size_t until_ = 0;
};

// Serve does what messages say, to the end of the channel. Returns the exit status.
int Serve(PluginPool* pool) {
  Reader reader;
  std::uint32_t head[3];
  while (reader.Read(head, sizeof head)) {
    const std::size_t units = head[1];
    const std::size_t length = head[2];
    if (units > kMaxUnits || length > kMaxBytes) return kBadChannel;
    std::u16string text(units, u'\0');
    if (!reader.Read(text.data(), units * sizeof(char16_t))) break;
    switch (static_cast<PluginMessage>(head[0])) {
      case PluginMessage::kCalls: {
        std::vector<PluginCall> calls;
        if (!DecodeCalls(text, &calls) || (length > 0 && calls.size() != 1)) return kBadChannel;
        if (length > 0) {
          PluginCall& call = calls.front();
          call.body_memory.reset(new char[length]);
          if (!reader.Read(call.body_memory.get(), length)) return 0;
          call.body = std::string_view(call.body_memory.get(), length);
        }
        pool->Push(std::move(calls));
        break;
      }
      case PluginMessage::kLibrary: {
        std::vector<char> bytes(length);
        if (!reader.Read(bytes.data(), length)) return 0;
        pool->AddLibrary(ToUtf8(text), std::move(bytes));
        break;
      }
      case PluginMessage::kAbandon:
        pool->Abandon(DecodeIds(text));
        break;
      case PluginMessage::kRetire:
        pool->Retire();
        break;
      default:
        return kBadChannel;
    }
  }
  return 0;
}

int Use() {
  std::fputs(
      "plugin_host is started by the service; to examine a library: plugin_host --check FILE\n",
      stderr);
  return kBadUse;
}

// Number reads a decimal number above 0; 0 is what is none.
std::size_t Number(const char* text) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' ? static_cast<std::size_t>(number) : 0;
}

int Run(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--check") == 0) return CheckPlugin(arguments[2]);
  PluginPoolOptions options;
  options.threads = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const std::size_t number = Number(arguments[i + 1]);
    if (name == "--threads") options.threads = static_cast<unsigned>(number);
    if (name == "--timeout") options.timeout = std::chrono::milliseconds(number);
    if (name == "--max-response") options.max_response = number;
    if (name == "--max-memory") options.max_memory = number;
  }
  if (count != 9 || options.threads == 0 || options.timeout.count() == 0 ||
      fcntl(kChannel, F_GETFD) < 0)
    return Use();
  fcntl(kChannel, F_SETFD, FD_CLOEXEC);
  CloseInherited();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  OfferToOutOfMemoryKiller();
  static_cast<void>(!nice(kNicer));  // before there are threads: they inherit it
  self = getpid();
  HandleSignals();
  options.prepare_thread = PrepareThread;
  auto* const writer = new Writer;
  auto* const pool = new PluginPool(std::move(options), writer->records());
  const int status = Serve(pool);
  _exit(status);  // plugins may run still, and nothing of theirs is waited for
}

}  // namespace
}  // namespace sql_rest

int main(int count, char** arguments) { return sql_rest::Run(count, arguments); }
