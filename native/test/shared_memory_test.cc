// Tests shared memory: what one mapping writes another one reads, and memory that could shrink, or is too short, is refused.
#include "../shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "expect.h"

namespace {

using sql_rest::CreateSharedMemory;
using sql_rest::MapSharedMemory;
using sql_rest::UnmapSharedMemory;
using sql_rest_test::Expect;
using sql_rest_test::ExpectText;

constexpr std::size_t kPage = 4096;

void TestMappings() {
  std::string error;
  const int fd = CreateSharedMemory(4 * kPage, &error);
  Expect(fd >= 0, "memory is created: " + error);
  Expect((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "its descriptor is closed on exec");
  Expect(ftruncate(fd, kPage) != 0 && ftruncate(fd, 8 * kPage) != 0, "its size is sealed");
  auto* const all = static_cast<double*>(MapSharedMemory(fd, 0, 4 * kPage, &error));
  auto* const part = static_cast<double*>(MapSharedMemory(fd, kPage, kPage, &error));
  Expect(all != nullptr && part != nullptr && all != part, "two mappings: " + error);
  Expect(part[0] == 0, "it begins with zeros");
  part[1] = 0.5;
  Expect(all[kPage / sizeof(double) + 1] == 0.5, "what one writes the other reads");
  const pid_t child = fork();
  if (child == 0) {
    part[2] = 7;
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  Expect(status == 0 && all[kPage / sizeof(double) + 2] == 7, "another process writes too");
  UnmapSharedMemory(part, kPage);
  close(fd);
  Expect(all[kPage / sizeof(double) + 1] == 0.5, "a mapping outlives the descriptor");
  UnmapSharedMemory(all, 4 * kPage);
}

void TestInherited() {
  std::string error;
  const int fd = CreateSharedMemory(kPage, &error);
  const int inherited = dup(fd);
  Expect((fcntl(inherited, F_GETFD) & FD_CLOEXEC) == 0, "a duplicate is inherited");
  void* const memory = MapSharedMemory(inherited, 0, kPage, &error);
  Expect(memory != nullptr && (fcntl(inherited, F_GETFD) & FD_CLOEXEC) != 0,
         "mapping it ends the inheritance");
  UnmapSharedMemory(memory, kPage);
  close(inherited);
  close(fd);
}

void TestRefused() {
  std::string error;
  const int fd = CreateSharedMemory(2 * kPage, &error);
  const std::string small = "the shared memory is too short, or its size is not sealed";
  const struct {
    std::size_t offset;
    std::size_t bytes;
    const char* what;
  } ranges[] = {{0, 3 * kPage, "longer than it"},
                {kPage, 2 * kPage, "beyond its end"},
                {3 * kPage, kPage, "behind it"},
                {0, 0, "nothing"},
                {kPage, SIZE_MAX, "an overflow"}};
  for (const auto& [offset, bytes, what] : ranges) {
    error.clear();
    Expect(MapSharedMemory(fd, offset, bytes, &error) == nullptr, what);
    ExpectText(small, error, what);
  }
  Expect(MapSharedMemory(fd, 1, kPage, &error) == nullptr && error != small, "inside a page");
  close(fd);
  Expect(MapSharedMemory(fd, 0, kPage, &error) == nullptr, "a closed descriptor");
  const int unsealed = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  Expect(ftruncate(unsealed, kPage) == 0, "another memory");
  error.clear();
  Expect(MapSharedMemory(unsealed, 0, kPage, &error) == nullptr, "memory that could shrink");
  ExpectText(small, error, "memory that could shrink");
  close(unsealed);
  int ends[2];
  Expect(pipe(ends) == 0, "a pipe");
  Expect(MapSharedMemory(ends[0], 0, kPage, &error) == nullptr, "a pipe is no memory");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

int main() {
  TestMappings();
  TestInherited();
  TestRefused();
  return sql_rest_test::Finish("shared_memory");
}
