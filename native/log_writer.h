// LogWriter: the log of a process, which never blocks a thread on the log's reader. Any thread appends lines to a
// bounded buffer, and the writer's own thread writes them to a descriptor. A line that does not fit is dropped and
// counted; the count is written as a line of its own, near the gap. Plain C++, without N-API.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace sql_rest {

// LogNotice is the line that reports how many lines were dropped: before, the time, between, the count, after.
struct LogNotice {
  std::string before = "{\"time\":";
  std::string between = ",\"dropped\":";
  std::string after = "}\n";
  // Print the local time of day instead of milliseconds since 1970.
  bool clock = false;
};

class LogWriter {
 public:
  // Get returns the writer of standard output, which the first call creates. Never destroyed. exit() flushes it, for a
  // second at most.
  static LogWriter& Get();

  // The descriptor is never closed, and may be blocking or not. `capacity` is in bytes.
  LogWriter(int fd, std::size_t capacity);

  // Append queues a line, which must end with a newline; false when it is dropped. Never waits for a write: its mutex
  // is not held during one.
  bool Append(std::string_view line);

  // Flush waits until all appended lines are written. Returns false when a write fails first, or after `limit`.
  bool Flush(std::chrono::milliseconds limit);

  void SetNotice(LogNotice notice);

  // DroppedLines is how many lines were dropped since the start.
  std::uint64_t DroppedLines();

  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

 private:
  // Starts the thread; if that fails, the next line tries again.
  void Start();
  [[noreturn]] void Run();
  // Writes a whole batch, however long that takes.
  void Write(const std::string& batch);
  // The end of the next piece, written with one call: the end of a line.
  std::size_t PieceEnd(const std::string& batch, std::size_t at) const;
  // Counts `size` bytes as written.
  void Wrote(std::size_t size);
  // Waits before the next attempt; Flush ends the wait.
  void Failed();
  std::string NoticeLine(std::uint64_t dropped) const;

  const int fd_;
  const std::size_t capacity_;
  std::size_t piece_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable settled_;
  // The members below are guarded by the mutex.
  std::string pending_;
  // Unwritten bytes, in pending_ and in the thread's batch.
  std::size_t buffered_ = 0;
  // Those of the next notice, and those since the start.
  std::uint64_t dropped_ = 0;
  std::uint64_t dropped_lines_ = 0;
  std::uint64_t failures_ = 0;
  int flushing_ = 0;
  bool started_ = false;
  // The thread waits for a line, so the next one must wake it.
  bool idle_ = false;
  LogNotice notice_;
};

}  // namespace sql_rest
