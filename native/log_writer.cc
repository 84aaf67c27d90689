// One buffer is filled while the thread writes the other. Only the first line wakes the thread: lines that arrive while
// it writes, or shortly after, are written with the next batch. A failed write is repeated, so an accepted line is lost
// only when the process ends; lines are dropped when they are appended, and their count is written near the gap.
#include "log_writer.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

namespace sql_rest {
namespace {

constexpr std::size_t kCapacity = 2 << 20;
// Other processes write to the same pipe or socket: a write of up to PIPE_BUF bytes is atomic. For a file the kernel
// locks the offset during a write, so larger writes are safe.
constexpr std::size_t kFilePiece = 64 << 10;
constexpr std::chrono::milliseconds kExitWait{1000};
// How long the thread lets lines gather after a batch: under load, one wake-up and one write handle many lines.
constexpr std::chrono::milliseconds kGather{2};
constexpr std::chrono::milliseconds kRetry{100};

}  // namespace

LogWriter& LogWriter::Get() {
  static LogWriter* const writer = [] {
    std::atexit([] { Get().Flush(kExitWait); });
    return new LogWriter(STDOUT_FILENO, kCapacity);
  }();
  return *writer;
}

LogWriter::LogWriter(int fd, std::size_t capacity) : fd_(fd), capacity_(capacity) {
  struct stat status {};
  piece_ = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? kFilePiece : PIPE_BUF;
}

bool LogWriter::Append(std::string_view line) {
  bool wake = false;
  bool accepted = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!started_) Start();
    accepted = started_ && buffered_ + line.size() <= capacity_;
    if (accepted) {
      pending_.append(line);
      buffered_ += line.size();
    } else {
      dropped_++;
      dropped_lines_++;
    }
    wake = std::exchange(idle_, false);
  }
  if (wake) wake_.notify_one();
  return accepted;
}

bool LogWriter::Flush(std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::uint64_t before = failures_;
  flushing_++;
  wake_.notify_one();
  settled_.wait_for(lock, limit, [&] { return buffered_ == 0 || failures_ != before; });
  flushing_--;
  return buffered_ == 0;
}

std::uint64_t LogWriter::DroppedLines() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return dropped_lines_;
}

void LogWriter::SetNotice(LogNotice notice) {
  const std::lock_guard<std::mutex> lock(mutex_);
  notice_ = std::move(notice);
  // Not by a later line: the thread inherits the priority of the one that starts it.
  if (!started_) Start();
}

void LogWriter::Start() {
  // Block all signals on this thread: others handle them, and with SIGPIPE blocked a write to a closed pipe just fails.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { Run(); }).detach();
    started_ = true;
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LogWriter::Run() {
  std::string batch;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    while (pending_.empty() && dropped_ == 0) {
      idle_ = true;
      wake_.wait(lock);
    }
    idle_ = false;
    batch.clear();
    batch.swap(pending_);
    // The lines were dropped after the last line of this batch and before the first of the next one.
    if (dropped_ > 0) {
      const std::string line = NoticeLine(std::exchange(dropped_, 0));
      batch += line;
      buffered_ += line.size();
    }
    lock.unlock();
    Write(batch);
    lock.lock();
    wake_.wait_for(lock, kGather, [this] { return flushing_ > 0; });
  }
}

void LogWriter::Write(const std::string& batch) {
  std::size_t at = 0;
  // Whether a failed write left an incomplete line. It is written again from its beginning, because other processes may
  // have written since.
  bool torn = false;
  while (at < batch.size()) {
    const ssize_t written =
        torn ? write(fd_, "\n", 1) : write(fd_, batch.data() + at, PieceEnd(batch, at) - at);
    if (written > 0) {
      if (!std::exchange(torn, false)) {
        at += static_cast<std::size_t>(written);
        Wrote(static_cast<std::size_t>(written));
      }
    } else if (written < 0 && errno == EAGAIN) {
      pollfd ready{fd_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      const std::size_t newline = at == 0 ? std::string::npos : batch.rfind('\n', at - 1);
      const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
      if (at > begin) {
        torn = true;
        const std::lock_guard<std::mutex> lock(mutex_);
        buffered_ += at - begin;
        at = begin;
      }
      Failed();
    }
  }
}

std::size_t LogWriter::PieceEnd(const std::string& batch, std::size_t at) const {
  if (batch.size() - at <= piece_) return batch.size();
  const std::size_t newline = batch.rfind('\n', at + piece_ - 1);
  if (newline != std::string::npos && newline >= at) return newline + 1;
  // A line longer than a piece is written in one call.
  return std::min(batch.find('\n', at), batch.size() - 1) + 1;
}

void LogWriter::Wrote(std::size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  buffered_ -= size;
  if (buffered_ == 0) settled_.notify_all();
}

void LogWriter::Failed() {
  std::unique_lock<std::mutex> lock(mutex_);
  failures_++;
  settled_.notify_all();
  const int before = flushing_;
  wake_.wait_for(lock, kRetry, [&] { return flushing_ > before; });
}

std::string LogWriter::NoticeLine(std::uint64_t dropped) const {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  std::string time = std::to_string(now);
  if (notice_.clock) {
    const std::time_t seconds = now / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    char text[16];
    std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min,
                  local.tm_sec, static_cast<int>(now % 1000));
    time = text;
  }
  return notice_.before + time + notice_.between + std::to_string(dropped) + notice_.after;
}

}  // namespace sql_rest
