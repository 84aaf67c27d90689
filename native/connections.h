// The list of libpq connections of one thread, from connect to finish. The remaining ones are closed when the thread
// ends.
#pragma once

#include <uv.h>

#include <vector>

#include "environment.h"
#include "libpq.h"

namespace sql_rest {

// ConnectionUser is notified before its connection is freed.
class ConnectionUser {
 public:
  virtual ~ConnectionUser() = default;
  virtual void ConnectionFreed() noexcept = 0;
};

class Connections final : public Closable {
 public:
  // OfThread returns the calling thread's list, which the first call creates; nullptr on a thread that is ending.
  static Connections* OfThread();

  void Add(pg_conn* connection);
  void Remove(pg_conn* connection);
  void SetPoll(int fd, uv_poll_t* poll);
  // Acquire returns the connection of a socket and records its user; nullptr without one, or when it has a user.
  pg_conn* Acquire(int fd, ConnectionUser* user);
  void Release(ConnectionUser* user);

  void CloseForTeardown() override;

 private:
  struct Entry {
    pg_conn* connection;
    uv_poll_t* poll;
    ConnectionUser* user;
  };

  explicit Connections(Environment* environment) : environment_(environment) {}
  Entry* Find(int fd);
  void FinishIfClosed();

  static thread_local Connections* current;

  Environment* const environment_;
  std::vector<Entry> list_;
  int closing_ = 0;
};

}  // namespace sql_rest
