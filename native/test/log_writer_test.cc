// Tests LogWriter on pipes, sockets and files: order, complete lines, the count of dropped lines, failed writes.
#include "../log_writer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

using namespace std::chrono_literals;
using sql_rest::LogWriter;
using sql_rest_test::Expect;
using sql_rest_test::ExpectText;

namespace {

constexpr std::size_t kCapacity = 64 << 10;

// Writers are never deleted: their threads run until the process ends.
LogWriter& Writer(int fd, std::size_t capacity = kCapacity) {
  auto* const writer = new LogWriter(fd, capacity);
  writer->SetNotice({"time ", " dropped ", "\n", false});
  return *writer;
}

struct Channel {
  int read;
  int write;
};

Channel Pipe() {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  return {ends[0], ends[1]};
}

Channel Socket() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
  return {ends[0], ends[1]};
}

// Lines reads a descriptor to its end, or until nothing arrives for half a second.
std::vector<std::string> Lines(int fd) {
  std::string text;
  fcntl(fd, F_SETFL, O_NONBLOCK);
  char buffer[4096];
  for (int idle = 0; idle < 50;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got == 0) break;
    if (got < 0) {
      idle++;
      std::this_thread::sleep_for(10ms);
      continue;
    }
    idle = 0;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  Expect(begin == text.size(), "the last line has its newline");
  return lines;
}

std::string Line(int thread, int number, std::size_t length = 0) {
  std::string line = "line " + std::to_string(thread) + " " + std::to_string(number) + " ";
  if (line.size() < length) line.append(length - line.size(), 'x');
  return line + "\n";
}

// The count in a line about dropped lines, 0 for other lines.
std::uint64_t Dropped(const std::string& line) {
  const std::size_t at = line.find(" dropped ");
  if (line.rfind("time ", 0) != 0 || at == std::string::npos) return 0;
  return std::stoull(line.substr(at + 9));
}

// Checks that the lines of each thread are complete and in order, and that every line was written or counted as
// dropped.
void ExpectAll(const std::vector<std::string>& lines, int threads, int each,
               const std::string& what) {
  std::vector<int> last(static_cast<std::size_t>(threads), -1);
  std::uint64_t there = 0;
  std::uint64_t dropped = 0;
  bool whole = true;
  bool ordered = true;
  for (const std::string& line : lines) {
    int thread = 0;
    int number = 0;
    if (const std::uint64_t count = Dropped(line)) {
      dropped += count;
    } else if (std::sscanf(line.c_str(), "line %d %d ", &thread, &number) != 2 ||
               line.find("line", 1) != std::string::npos) {
      whole = false;
    } else {
      there++;
      int& before = last[static_cast<std::size_t>(thread)];
      if (number <= before) ordered = false;
      before = number;
    }
  }
  Expect(whole, what + ": lines are whole");
  Expect(ordered, what + ": in order");
  ExpectText(std::to_string(threads * each), std::to_string(there + dropped),
             what + ": lines written and dropped");
}

void AppendFromThreads(LogWriter& writer, int threads, int each, std::size_t length) {
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; thread++)
    all.emplace_back([&writer, thread, each, length] {
      for (int i = 0; i < each; i++) writer.Append(Line(thread, i, length));
    });
  for (std::thread& one : all) one.join();
}

void TestManyThreads(Channel channel, std::size_t length, const std::string& what) {
  LogWriter& writer = Writer(channel.write);
  std::thread appending([&] {
    AppendFromThreads(writer, 8, 2000, length);
    writer.Flush(10s);
    shutdown(channel.write, SHUT_WR);
  });
  const std::vector<std::string> lines = Lines(channel.read);
  appending.join();
  ExpectAll(lines, 8, 2000, what);
}

// The log is not read until all lines were appended.
void TestNotRead(Channel channel, const std::string& what) {
  LogWriter& writer = Writer(channel.write);
  int taken = 0;
  for (int i = 0; i < 10'000; i++) taken += writer.Append(Line(0, i, 100)) ? 1 : 0;
  Expect(taken >= 600 && taken < 10'000, what + ": so much fits, and no more");
  Expect(!writer.Flush(50ms), what + ": a flush is not waited for without end");
  const std::vector<std::string> lines = Lines(channel.read);
  ExpectAll(lines, 1, 10'000, what);
  const auto counts = std::count_if(lines.begin(), lines.end(), Dropped);
  ExpectText(std::to_string(taken), std::to_string(lines.size() - static_cast<std::size_t>(counts)),
             what + ": what was taken is there");
  Expect(Dropped(lines.back()) > 0, what + ": behind what was there before");
  writer.Append("later\n");
  Expect(writer.Flush(10s), what + ": then all is as before");
  ExpectText("later", Lines(channel.read).at(0), what);
}

void TestNonBlocking() {
  const Channel channel = Pipe();
  fcntl(channel.write, F_SETFL, O_NONBLOCK);
  TestNotRead(channel, "a pipe that does not block");
}

void TestLongLines() {
  const Channel channel = Pipe();
  LogWriter& writer = Writer(channel.write, 1 << 20);
  writer.Append("short\n");
  writer.Append(std::string(200'000, 'x') + "\n");
  writer.Append("short\n");
  Expect(!writer.Append(std::string(2 << 20, 'x') + "\n"), "larger than the buffer");
  const std::vector<std::string> lines = Lines(channel.read);
  Expect(lines.size() == 4, "short, long, short, one dropped");
  Expect(lines.at(1).size() == 200'000, "the long one is whole");
  ExpectText("1", std::to_string(Dropped(lines.at(3))), "larger than the buffer");
}

// A file that must not grow, as on a full disk: the written part of a line stays, and the line is written again.
void TestFullDisk() {
  char name[] = "/tmp/log_writer_test_XXXXXX";
  const int fd = mkstemp(name);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limited = before;
  limited.rlim_cur = 1050;
  setrlimit(RLIMIT_FSIZE, &limited);
  LogWriter& writer = Writer(fd);
  for (int i = 0; i < 30; i++) writer.Append(Line(0, i, 99));
  Expect(!writer.Flush(10s), "a flush ends when a write fails");
  for (int i = 30; i < 2000; i++) writer.Append(Line(0, i, 99));
  setrlimit(RLIMIT_FSIZE, &before);
  Expect(writer.Flush(10s), "it goes on when there is room");
  lseek(fd, 0, SEEK_SET);
  std::vector<std::string> lines = Lines(fd);
  Expect(lines.size() > 10, "lines before and after");
  ExpectText(Line(0, 10, 99).substr(0, 50), lines.at(10), "the torn one stands alone");
  lines.erase(lines.begin() + 10);
  ExpectAll(lines, 1, 2000, "a full disk");
  unlink(name);
}

void TestRefused(int fd, const std::string& what) {
  LogWriter& writer = Writer(fd);
  std::uint64_t taken = 0;
  for (int i = 0; i < 10'000; i++) taken += writer.Append(Line(0, i, 100)) ? 1 : 0;
  Expect(taken < 1000, what + ": bounded");
  Expect(!writer.Flush(10s), what + ": a flush gives up");
}

// Several processes on one pipe, like HTTP processes.
void TestProcesses() {
  const Channel channel = Pipe();
  std::vector<pid_t> children;
  for (int child = 0; child < 3; child++) {
    const pid_t pid = fork();
    if (pid == 0) {
      LogWriter& writer = Writer(channel.write, 4 << 20);
      for (int i = 0; i < 5000; i++) writer.Append(Line(child, i, 100 + i % 50));
      writer.Flush(20s);
      _exit(0);
    }
    children.push_back(pid);
  }
  close(channel.write);
  ExpectAll(Lines(channel.read), 3, 5000, "processes");
  for (const pid_t child : children) waitpid(child, nullptr, 0);
}

}  // namespace

int main() {
  std::signal(SIGXFSZ, SIG_IGN);
  TestProcesses();  // first, because it forks, which requires a single thread
  TestManyThreads(Socket(), 0, "threads");
  TestManyThreads(Socket(), 5000, "threads with long lines");
  TestNotRead(Pipe(), "a pipe");
  TestNotRead(Socket(), "a socket");
  TestNonBlocking();
  TestLongLines();
  TestFullDisk();
  const Channel closed = Pipe();
  close(closed.read);
  TestRefused(closed.write, "a closed pipe");
  TestRefused(open("/dev/full", O_WRONLY), "a full device");
  TestRefused(-1, "no descriptor");
  return sql_rest_test::Finish("log writer");
}
