// What the private copies of libpq's addon call instead of six functions that they import (src/pg/libpq-addon.ts
// redirects the imports). Left alone, that addon watches its sockets on the main thread's loop from whatever thread it
// runs on, leaks its connections when a worker ends, and a worker that ends while it connects aborts the process.
//   SR_poll_init_socket  puts the poll handle on the calling thread's own loop
//   SR_queue_work        runs what it is given (always: connecting) on a thread of its own, so that a database that does
//                        not answer holds none of libuv's few pool threads, and so that nothing waits for it in the end
//   SRcancel, SRfreeCancel  ask for a cancellation on a thread of its own, because that connects anew; nobody waits
//                        for it, and the thread frees what it was given
//   SRconnectdb, SRfinish  keep the list of the thread's connections, which are closed when the thread ends, and keep
//                        libpq from writing what RAISE INFO says to standard error
#include <dlfcn.h>
#include <pthread.h>
#include <uv.h>

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

// Threads starts and counts the threads that connect. A process that exits in the middle of a TLS handshake crashes, so
// its exit gives them a moment; a database that does not answer is not waited for longer.
class Threads {
 public:
  // Start runs a function that ends with End(); false when there is no thread to be had.
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
    Threads& threads = Get();
    const std::lock_guard<std::mutex> lock(threads.mutex_);
    threads.running_++;
  }

  static void End() {
    Threads& threads = Get();
    const std::lock_guard<std::mutex> lock(threads.mutex_);
    threads.running_--;
    threads.ended_.notify_all();
  }

 private:
  static Threads& Get() {
    // Never destroyed: the threads may outlive what is destroyed at exit.
    static auto* const threads = [] {
      std::atexit(WaitAtExit);
      return new Threads;
    }();
    return *threads;
  }

  static void WaitAtExit() {
    Threads& threads = Get();
    std::unique_lock<std::mutex> lock(threads.mutex_);
    threads.ended_.wait_for(lock, kPatience, [&threads] { return threads.running_ == 0; });
  }

  static constexpr std::chrono::milliseconds kPatience{500};

  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
};

// Attempt is one connection being made on a thread of its own. That thread and the loop both hold it; whichever is
// last deletes it. When the loop's thread ends first, the attempt is abandoned: it goes on to its end and is then
// thrown away.
class Attempt final : public Closable, public std::enable_shared_from_this<Attempt> {
 public:
  static int Start(Environment* environment, uv_work_t* request, uv_work_cb work,
                   uv_after_work_cb after) {
    const auto self = std::shared_ptr<Attempt>(new Attempt(environment, request, work, after));
    const int status = uv_async_init(environment->loop(), &self->async_, OnDone);
    if (status != 0) return status;
    self->async_.data = self.get();
    self->held_by_loop_ = self;
    environment->Remember(self.get());
    // The code that runs on the thread belongs to a copy that is unmapped when the loop's thread ends.
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(work), &info) != 0) {
      self->copy_ = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    auto* held_by_thread = new std::shared_ptr<Attempt>(self);
    // Without a thread it is done right here, which blocks but is right.
    if (!Threads::Start(Run, held_by_thread)) {
      Threads::Begin();
      Run(held_by_thread);
    }
    return 0;
  }

  // Connecting is the attempt that runs on the calling thread, or nullptr.
  static Attempt* Connecting() noexcept { return connecting; }
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
  Attempt(Environment* environment, uv_work_t* request, uv_work_cb work, uv_after_work_cb after)
      : environment_(environment), request_(request), work_(work), after_(after) {}

  static void* Run(void* data) {
    auto* held = static_cast<std::shared_ptr<Attempt>*>(data);
    Attempt* self = held->get();
    void* copy = self->copy_;
    connecting = self;
    self->work_(self->request_);
    connecting = nullptr;
    self->Finish();
    delete held;
    if (copy != nullptr) dlclose(copy);
    Threads::End();
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
    auto* self = static_cast<Attempt*>(handle->data);
    if (self->delivered_) return;
    self->delivered_ = true;
    if (self->connection_ != nullptr) Connections::Own()->Add(self->connection_);
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
      auto* self = static_cast<Attempt*>(closed->data);
      self->environment_->Forget(self);
      // A copy, because the member would be destroyed while it is being reset.
      const std::shared_ptr<Attempt> last = std::move(self->held_by_loop_);
    });
  }

  static thread_local Attempt* connecting;

  Environment* const environment_;
  uv_work_t* const request_;
  const uv_work_cb work_;
  const uv_after_work_cb after_;
  uv_async_t async_{};
  void* copy_ = nullptr;
  std::shared_ptr<Attempt> held_by_loop_;
  // Written by the thread while it connects, read by the loop once finished_ is set.
  pg_conn* connection_ = nullptr;
  // The loop's own.
  bool delivered_ = false;
  std::mutex mutex_;
  // Under the mutex.
  bool finished_ = false;
  bool abandoned_ = false;
};

thread_local Attempt* Attempt::connecting = nullptr;

void* Cancel(void* data) {
  auto* request = static_cast<pg_cancel*>(data);
  char ignored[256];
  Libpq::Get().cancel(request, ignored, sizeof ignored);
  Libpq::Get().free_cancel(request);
  Threads::End();
  return nullptr;
}

}  // namespace
}  // namespace sql_rest

using sql_rest::Attempt;
using sql_rest::Cancel;
using sql_rest::Connections;
using sql_rest::Environment;
using sql_rest::Libpq;
using sql_rest::Threads;

#pragma GCC visibility push(default)
extern "C" {

pg_conn* SRconnectdb(const char* conninfo) {
  const Libpq& libpq = Libpq::Get();
  // libpq takes an absent connection for a failed one.
  if (!libpq.complete) return nullptr;
  pg_conn* connection = libpq.connectdb(conninfo);
  if (connection == nullptr) return nullptr;
  libpq.set_notice_processor(
      connection, [](void*, const char*) {}, nullptr);
  if (Attempt* attempt = Attempt::Connecting(); attempt != nullptr) {
    attempt->SetConnection(connection);
  } else if (Connections* own = Connections::Own(); own != nullptr) {
    own->Add(connection);
  }
  return connection;
}

void SRfinish(pg_conn* connection) {
  if (connection == nullptr) return;
  if (Connections* own = Connections::Own(); own != nullptr) own->Remove(connection);
  Libpq::Get().finish(connection);
}

int SRcancel(pg_cancel* request, char* error, int size) {
  if (Libpq::Get().complete && Threads::Start(Cancel, request)) return 1;
  if (size > 0) error[0] = '\0';
  return 0;  // what PQgetCancel made is lost with it: no thread could be had
}

void SRfreeCancel(pg_cancel*) {}

int SR_poll_init_socket(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t fd) {
  Environment* environment = Environment::Current();
  if (environment == nullptr) return uv_poll_init_socket(loop, handle, fd);
  const int status = uv_poll_init_socket(environment->loop(), handle, fd);
  Connections* own = Connections::Own();
  if (status == 0) own->SetPoll(fd, handle);
  return status;
}

int SR_queue_work(uv_loop_t* loop, uv_work_t* request, uv_work_cb work, uv_after_work_cb after) {
  Environment* environment = Environment::Current();
  if (environment == nullptr) return uv_queue_work(loop, request, work, after);
  return Attempt::Start(environment, request, work, after);
}
}
#pragma GCC visibility pop
