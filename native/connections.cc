#include "connections.h"

#include <sys/socket.h>

#include <algorithm>

namespace sql_rest {

thread_local Connections* Connections::current = nullptr;

Connections* Connections::OfThread() {
  if (current == nullptr) {
    Environment* environment = Environment::Current();
    if (environment == nullptr) return nullptr;
    current = new Connections(environment);
    environment->Register(current);
  }
  return current;
}

void Connections::Add(pg_conn* connection) { list_.push_back({connection, nullptr, nullptr}); }

void Connections::Remove(pg_conn* connection) {
  const auto entry = std::find_if(list_.begin(), list_.end(), [=](const Entry& candidate) {
    return candidate.connection == connection;
  });
  if (entry == list_.end()) return;
  if (entry->user != nullptr) entry->user->ConnectionFreed();
  list_.erase(entry);
}

void Connections::SetPoll(int fd, uv_poll_t* poll) {
  if (Entry* entry = Find(fd); entry != nullptr) entry->poll = poll;
}

pg_conn* Connections::Acquire(int fd, ConnectionUser* user) {
  Entry* entry = Find(fd);
  if (entry == nullptr || entry->user != nullptr) return nullptr;
  entry->user = user;
  return entry->connection;
}

void Connections::Release(ConnectionUser* user) {
  for (Entry& entry : list_) {
    if (entry.user == user) entry.user = nullptr;
  }
}

Connections::Entry* Connections::Find(int fd) {
  if (fd < 0) return nullptr;
  for (Entry& entry : list_) {
    if (Libpq::Get().socket(entry.connection) == fd) return &entry;
  }
  return nullptr;
}

void Connections::CloseForTeardown() {
  current = nullptr;
  for (const Entry& entry : list_) {
    if (entry.poll != nullptr) {
      // libpq's addon no longer uses the handle, so its data can be replaced.
      entry.poll->data = this;
      closing_++;
      uv_close(reinterpret_cast<uv_handle_t*>(entry.poll), [](uv_handle_t* handle) {
        auto* self = static_cast<Connections*>(handle->data);
        self->closing_--;
        self->FinishIfClosed();
      });
    }
    if (entry.user != nullptr) entry.user->ConnectionFreed();
    // Shut down first: otherwise PQfinish would block while it writes Terminate to a full socket.
    const int fd = Libpq::Get().socket(entry.connection);
    if (fd >= 0) shutdown(fd, SHUT_RDWR);
    Libpq::Get().finish(entry.connection);
  }
  list_.clear();
  FinishIfClosed();
}

void Connections::FinishIfClosed() {
  if (closing_ > 0) return;
  environment_->Unregister(this);
  delete this;
}

}  // namespace sql_rest
