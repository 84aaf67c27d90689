// The connections that libpq made on one thread, from when they were made until it frees them. Those that are left when
// the thread ends are closed.
#pragma once

#include <uv.h>

#include <vector>

#include "environment.h"
#include "libpq.h"

namespace sql_rest {

// ConnectionUser refers to a connection until it is freed.
class ConnectionUser {
 public:
  virtual ~ConnectionUser() = default;
  virtual void ConnectionGone() noexcept = 0;
};

class Connections final : public Closable {
 public:
  // Own is the calling thread's list, made when needed; nullptr on a thread that is ending.
  static Connections* Own();

  void Add(pg_conn* connection);
  void Remove(pg_conn* connection);
  void SetPoll(int fd, uv_poll_t* poll);
  // Use finds the connection of a socket and notes who uses it; nullptr when there is none.
  pg_conn* Use(int fd, ConnectionUser* user);
  void Leave(ConnectionUser* user);

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

  static thread_local Connections* own;

  Environment* const environment_;
  std::vector<Entry> list_;
  int closing_ = 0;
};

}  // namespace sql_rest
