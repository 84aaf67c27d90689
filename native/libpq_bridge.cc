// Replacements for six functions that libpq's addon imports (src/postgres/connection/libpq-addon.ts redirects the imports of its private
// copies). The unmodified addon watches sockets on the main thread's loop from any thread, leaks the connections of a
// worker that ends, and aborts the process when a worker ends while it connects.
//   SR_poll_init_socket     puts the poll handle on the calling thread's own loop
//   SR_queue_work           runs the work (always: connecting) on a new thread, so that a database that does not
//                           respond occupies no thread of libuv's small pool, and no exit waits for it
//   SRcancel, SRfreeCancel  send a cancel request on a new thread, because it opens a connection; the thread frees the
//                           request
//   SRconnectdb, SRfinish   maintain the list of the thread's connections, which are closed when the thread ends, and
//                           keep libpq from printing notices (RAISE INFO) to standard error
#include <dlfcn.h>
#include <pthread.h>
#include <uv.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "connections.h"
#include "environment.h"
#include "libpq.h"

namespace sql_rest {
namespace {

// ConnectThreads starts and counts the threads that connect. A process that exits during a TLS handshake crashes, so
// exit waits for them, for a limited time because a database may not respond.
class ConnectThreads {
 public:
  // Start runs a function, which must end with End(), on a new thread; false when no thread can be created.
  static bool Start(void* (*run)(void*), void* data) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    Begin();
    const bool started = pthread_create(&thread, &attributes, run, data) == 0;
    pthread_attr_destroy(&attributes);
    if (!started) End();
    return started;
  }

  static void Begin() {
    ConnectThreads& threads = Get();
    const std::lock_guard<std::mutex> lock(threads.mutex_);
    threads.running_++;
  }

  static void End() {
    ConnectThreads& threads = Get();
    const std::lock_guard<std::mutex> lock(threads.mutex_);
    threads.running_--;
    threads.ended_.notify_all();
  }

 private:
  static ConnectThreads& Get() {
    // Never destroyed: the threads may outlive static destruction.
    static auto* const threads = [] {
      std::atexit(WaitAtExit);
      return new ConnectThreads;
    }();
    return *threads;
  }

  static void WaitAtExit() {
    ConnectThreads& threads = Get();
    std::unique_lock<std::mutex> lock(threads.mutex_);
    threads.ended_.wait_for(lock, kExitWait, [&threads] { return threads.running_ == 0; });
  }

  static constexpr std::chrono::milliseconds kExitWait{500};

  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
};

// ConnectAttempt opens one connection on a thread of its own. That thread and the loop share its ownership. When the
// loop's thread ends first, the attempt is abandoned: it runs to its end, and its connection is closed.
class ConnectAttempt final : public Closable, public std::enable_shared_from_this<ConnectAttempt> {
 public:
  static int Start(Environment* environment, uv_work_t* request, uv_work_cb work,
                   uv_after_work_cb after) {
    const auto self =
        std::shared_ptr<ConnectAttempt>(new ConnectAttempt(environment, request, work, after));
    const int status = uv_async_init(environment->loop(), &self->async_, OnDone);
    if (status != 0) return status;
    self->async_.data = self.get();
    self->loop_reference_ = self;
    environment->Register(self.get());
    // The work's code is in a copy of the addon that is unloaded once the loop's thread has ended: keep it loaded.
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(work), &info) != 0) {
      self->copy_ = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    auto* thread_reference = new std::shared_ptr<ConnectAttempt>(self);
    // Without a thread, connect on this one, which blocks it.
    if (!ConnectThreads::Start(Run, thread_reference)) {
      ConnectThreads::Begin();
      Run(thread_reference);
    }
    return 0;
  }

  // The attempt that runs on the calling thread, or nullptr.
  static ConnectAttempt* Connecting() noexcept { return connecting; }
  void SetConnection(pg_conn* connection) { connection_ = connection; }

  void CloseForTeardown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      abandoned_ = true;
      if (finished_ && !delivered_) Discard();
    }
    Close();
  }

 private:
  ConnectAttempt(Environment* environment, uv_work_t* request, uv_work_cb work,
                 uv_after_work_cb after)
      : environment_(environment), request_(request), work_(work), after_(after) {}

  static void* Run(void* data) {
    auto* reference = static_cast<std::shared_ptr<ConnectAttempt>*>(data);
    ConnectAttempt* self = reference->get();
    void* copy = self->copy_;
    connecting = self;
    self->work_(self->request_);
    connecting = nullptr;
    self->Finish();
    delete reference;
    if (copy != nullptr) dlclose(copy);
    ConnectThreads::End();
    return nullptr;
  }

  void Finish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
    if (abandoned_) {
      Discard();
    } else {
      uv_async_send(&async_);
    }
  }

  static void OnDone(uv_async_t* handle) {
    auto* self = static_cast<ConnectAttempt*>(handle->data);
    if (self->delivered_) return;
    self->delivered_ = true;
    if (self->connection_ != nullptr) Connections::OfThread()->Add(self->connection_);
    uv_work_t* request = self->request_;
    const uv_after_work_cb after = self->after_;
    self->Close();
    // Last, because it runs JavaScript.
    after(request, 0);
  }

  void Discard() {
    if (connection_ != nullptr) Libpq::Get().finish(connection_);
    connection_ = nullptr;
  }

  void Close() {
    auto* handle = reinterpret_cast<uv_handle_t*>(&async_);
    if (uv_is_closing(handle) != 0) return;
    uv_close(handle, [](uv_handle_t* closed) {
      auto* self = static_cast<ConnectAttempt*>(closed->data);
      self->environment_->Unregister(self);
      // A copy, because the member would be destroyed while it is being reset.
      const std::shared_ptr<ConnectAttempt> last = std::move(self->loop_reference_);
    });
  }

  static thread_local ConnectAttempt* connecting;

  Environment* const environment_;
  uv_work_t* const request_;
  const uv_work_cb work_;
  const uv_after_work_cb after_;
  uv_async_t async_{};
  void* copy_ = nullptr;
  std::shared_ptr<ConnectAttempt> loop_reference_;
  // Written by the thread while it connects, read by the loop once finished_ is set.
  pg_conn* connection_ = nullptr;
  // Used by the loop's thread only.
  bool delivered_ = false;
  std::mutex mutex_;
  // Guarded by the mutex.
  bool finished_ = false;
  bool abandoned_ = false;
};

thread_local ConnectAttempt* ConnectAttempt::connecting = nullptr;

// Most cancel requests in flight. A peer that accepts a connection and sends nothing blocks a request for any time;
// beyond this number they are dropped, because statement_timeout ends the statements anyway.
constexpr int kMaxCancels = 32;
std::atomic<int> cancels{0};

void* Cancel(void* data) {
  auto* request = static_cast<pg_cancel*>(data);
  char ignored[256];
  Libpq::Get().cancel(request, ignored, sizeof ignored);
  Libpq::Get().free_cancel(request);
  cancels--;
  ConnectThreads::End();
  return nullptr;
}

}  // namespace
}  // namespace sql_rest

using sql_rest::Cancel;
using sql_rest::cancels;
using sql_rest::ConnectAttempt;
using sql_rest::Connections;
using sql_rest::ConnectThreads;
using sql_rest::Environment;
using sql_rest::kMaxCancels;
using sql_rest::Libpq;

#pragma GCC visibility push(default)
extern "C" {

pg_conn* SRconnectdb(const char* conninfo) {
  const Libpq& libpq = Libpq::Get();
  // The status of a NULL connection is CONNECTION_BAD: the addon reports a failed connection.
  if (!libpq.complete) return nullptr;
  pg_conn* connection = libpq.connectdb(conninfo);
  if (connection == nullptr) return nullptr;
  libpq.set_notice_processor(
      connection, [](void*, const char*) {}, nullptr);
  if (ConnectAttempt* attempt = ConnectAttempt::Connecting(); attempt != nullptr) {
    attempt->SetConnection(connection);
  } else if (Connections* own = Connections::OfThread(); own != nullptr) {
    own->Add(connection);
  }
  return connection;
}

void SRfinish(pg_conn* connection) {
  if (connection == nullptr) return;
  if (Connections* own = Connections::OfThread(); own != nullptr) own->Remove(connection);
  Libpq::Get().finish(connection);
}

int SRcancel(pg_cancel* request, char* error, int size) {
  const Libpq& libpq = Libpq::Get();
  if (size > 0) error[0] = '\0';
  if (!libpq.complete) return 0;  // leaks the request, which cannot be freed
  if (++cancels <= kMaxCancels && ConnectThreads::Start(Cancel, request)) return 1;
  cancels--;
  libpq.free_cancel(request);
  return 0;
}

void SRfreeCancel(pg_cancel*) {}

int SR_poll_init_socket(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t fd) {
  Environment* environment = Environment::Current();
  if (environment == nullptr) return uv_poll_init_socket(loop, handle, fd);
  const int status = uv_poll_init_socket(environment->loop(), handle, fd);
  Connections* own = Connections::OfThread();
  if (status == 0) own->SetPoll(fd, handle);
  return status;
}

int SR_queue_work(uv_loop_t* loop, uv_work_t* request, uv_work_cb work, uv_after_work_cb after) {
  Environment* environment = Environment::Current();
  if (environment == nullptr) return uv_queue_work(loop, request, work, after);
  return ConnectAttempt::Start(environment, request, work, after);
}
}
#pragma GCC visibility pop
