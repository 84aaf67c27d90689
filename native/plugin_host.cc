// The program in which plugins run: a pool of threads and a channel (descriptor 3) to the HTTP process that started it.
// It contains no JavaScript runtime, because the libraries bundled with Node would replace those that a plugin was
// linked with. It exits when the channel closes, even while calls run.
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
#include "plugin_pool.h"
#include "plugin_wire.h"

namespace sql_rest {
namespace {

constexpr int kChannel = 3;

// Limits of a message, for a malformed head.
constexpr std::size_t kMaxUnits = std::size_t{1} << 28;
constexpr std::size_t kMaxBytes = std::size_t{1} << 31;

// Exit statuses.
constexpr int kBadUsage = 2;
constexpr int kBadChannel = 3;
constexpr int kExitedByPlugin = 4;

// Whether a thread is writing to the channel. A signal handler waits for the end of the write, for a limited time.
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

// RecordWriter sends records on a thread of its own, so that threads of the pool never wait for the HTTP process.
class RecordWriter {
 public:
  RecordWriter() : records_([this] { Wake(); }) {
    std::thread([this] { Run(); }).detach();
  }
  PluginRecordQueue* records() noexcept { return &records_; }

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
      while (writing.exchange(true)) std::this_thread::yield();  // only while the process ends
      if (!SendAll(bytes.data(), bytes.size())) _exit(0);
      writing.store(false);
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool awake_ = false;
  PluginRecordQueue records_;
};

// This process. Processes forked by a plugin have another id and must report nothing.
pid_t host_pid = 0;

// How long a thread that ends the process waits for a write in progress.
constexpr int kReportMilliseconds = 50;

void Sleep(int milliseconds) noexcept {
  const timespec time{0, milliseconds * 1'000'000};
  nanosleep(&time, nullptr);
}

// ReportCrash sends the last record: which call ends the process, and which call began last. Async-signal-safe.
void ReportCrash(int signal) noexcept {
  if (getpid() != host_pid) return;
  static std::atomic<bool> reported{false};
  if (reported.exchange(true)) {
    // Another thread is reporting: returning at once would end the process before it is done.
    Sleep(2 * kReportMilliseconds);
    return;
  }
  for (int waited = 0; writing.exchange(true); waited++) {
    if (waited == kReportMilliseconds) return;
    Sleep(1);
  }
  const std::uint32_t body[2] = {PluginPool::StopQueue(), PluginPool::IsLoading() ? 1u : 0u};
  char record[kRecordHead + sizeof body];
  WriteRecordHead(record, PluginRecordKind::kCrashed, PluginPool::CurrentCall(),
                  static_cast<std::uint16_t>(signal), 0, sizeof body);
  std::memcpy(record + kRecordHead, body, sizeof body);
  // A partial record would be misread, but a socket accepts so few bytes completely or not at all.
  send(kChannel, record, sizeof record, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void OnFault(int signal) {
  ReportCrash(signal);
  // The default action, with its core dump, follows when this handler returns. It is set here and not by SA_RESETHAND: the
  // runtime of Go replaces the handlers of faults with one that calls this function and stays.
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void OnExit() {
  if (getpid() != host_pid) return;
  ReportCrash(0);
  _exit(kExitedByPlugin);
}

// SignalStack is a thread's stack for signal handlers, so that they can run after a stack overflow.
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

void PrepareThread() { thread_local const SignalStack stack; }

void HandleSignals() {
  struct sigaction fault {};
  fault.sa_handler = OnFault;
  fault.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP})
    sigaction(signal, &fault, nullptr);
  // The HTTP process decides when this process ends. An empty handler instead of SIG_IGN, which programs started by a
  // plugin would inherit.
  struct sigaction no_action {};
  no_action.sa_handler = [](int) {};
  no_action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    sigaction(signal, &no_action, nullptr);
  // Registered before the handlers of plugins, so that it runs after them.
  std::atexit(OnExit);
  std::at_quick_exit(OnExit);
}

// When memory runs out, the kernel kills this process first.
void PreferForOomKiller() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!write(file, "1000", 4));
  close(file);
}

// Increment of the nice value: when cores are scarce, scripts take precedence over the computations of plugins.
constexpr int kNiceIncrement = 5;

// CloseInherited closes descriptors that the service's parent left open without close-on-exec.
void CloseInherited() {
  constexpr unsigned kFirst = kChannel + 1;
  if (syscall(SYS_close_range, kFirst, ~0u, 0u) == 0) return;
  const long most = sysconf(_SC_OPEN_MAX);
  for (int number = kFirst; number < most; number++) close(number);
}

class ChannelReader {
 public:
  // Read reads exactly `count` bytes; false at the end of the channel.
  bool Read(void* to, std::size_t count) {
    auto* target = static_cast<char*>(to);
    while (count > 0) {
      if (from_ == until_) {
        // Large reads bypass the buffer.
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

// Serve handles messages until the channel closes. Returns the exit status.
int Serve(PluginPool* pool) {
  ChannelReader reader;
  std::uint32_t head[3];
  while (reader.Read(head, sizeof head)) {
    const std::size_t units = head[1];
    const std::size_t length = head[2];
    if (units > kMaxUnits || length > kMaxBytes) return kBadChannel;
    std::u16string text(units, u'\0');
    if (!reader.Read(text.data(), units * sizeof(char16_t))) break;
    switch (static_cast<PluginMessageKind>(head[0])) {
      case PluginMessageKind::kCalls: {
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
      case PluginMessageKind::kLibrary: {
        std::vector<char> bytes(length);
        if (!reader.Read(bytes.data(), length)) return 0;
        pool->AddLibrary(ToUtf8(text), std::move(bytes));
        break;
      }
      case PluginMessageKind::kAbandon:
        pool->Abandon(DecodeIds(text));
        break;
      case PluginMessageKind::kRetire:
        pool->Retire();
        break;
      default:
        return kBadChannel;
    }
  }
  return 0;
}

int Usage() {
  std::fputs(
      "plugin_host is started by the service; to examine a library: plugin_host --check FILE\n",
      stderr);
  return kBadUsage;
}

// Number parses a positive decimal number; 0 when it is invalid.
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
    return Usage();
  fcntl(kChannel, F_SETFD, FD_CLOEXEC);
  CloseInherited();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  PreferForOomKiller();
  static_cast<void>(!nice(kNiceIncrement));  // before threads are started, which inherit it
  host_pid = getpid();
  HandleSignals();
  options.prepare_thread = PrepareThread;
  auto* const writer = new RecordWriter;
  auto* const pool = new PluginPool(std::move(options), writer->records());
  const int status = Serve(pool);
  _exit(status);  // without waiting for plugins that still run, and without their destructors
}

}  // namespace
}  // namespace sql_rest

int main(int count, char** arguments) { return sql_rest::Run(count, arguments); }
