// The descriptor reaches another process by inheritance, so it is checked before it is mapped, not trusted.
#include "shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sql_rest {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

std::string Reason(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

}  // namespace

int CreateSharedMemory(std::size_t bytes, std::string* error) {
  const int fd = memfd_create("metrics", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) {
    *error = Reason("memfd_create");
    return -1;
  }
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 || fcntl(fd, F_ADD_SEALS, kSeals) != 0) {
    *error = Reason("the size of shared memory");
    close(fd);
    return -1;
  }
  return fd;
}

void* MapSharedMemory(int fd, std::size_t offset, std::size_t bytes, std::string* error) {
  struct stat status {};
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || fstat(fd, &status) != 0) {
    *error = Reason("the descriptor of shared memory");
    return nullptr;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if ((seals & kSeals) != kSeals || bytes == 0 || offset > size || bytes > size - offset) {
    *error = "the shared memory is too short, or its size is not sealed";
    return nullptr;
  }
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    *error = Reason("the descriptor of shared memory");
    return nullptr;
  }
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (memory != MAP_FAILED) return memory;
  *error = Reason("mmap");
  return nullptr;
}

void UnmapSharedMemory(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }

}  // namespace sql_rest
