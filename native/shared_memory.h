// Anonymous memory (memfd) that processes share: a service's counters. Its size is sealed, so that no mapping of it can ever
// end beyond it, which would kill the process with SIGBUS. Plain C++, without N-API.
#pragma once

#include <cstddef>
#include <string>

namespace sql_rest {

// CreateSharedMemory returns a descriptor of `bytes` zeroed bytes, closed on exec. They take memory only where they are
// written. -1 on failure, with the reason in `error`.
int CreateSharedMemory(std::size_t bytes, std::string* error);

// MapSharedMemory maps `bytes` at `offset`, a multiple of the page size, for reading and writing, and sets the
// descriptor to be closed on exec, so that no further process inherits it. nullptr on failure, with the reason in
// `error`: also when the memory is too short, or its size is not sealed.
void* MapSharedMemory(int fd, std::size_t offset, std::size_t bytes, std::string* error);

void UnmapSharedMemory(void* memory, std::size_t bytes) noexcept;

}  // namespace sql_rest
