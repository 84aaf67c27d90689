// What an author asks about a library: can it be served, and which handlers has it. Plain C++, no N-API.
#pragma once

#include <string>

namespace sql_rest {

// DescribePlugin loads a file as the service does and gives what it found as one JSON object: {"file", "abi", "handlers":
// [{"method", "function", "form", "symbol"}], "problems": [...]}, handlers sorted by symbol. `usable` becomes false when
// there is a problem: the library is refused, or a part of it can not be called. The loader's words are among them.
std::string DescribePlugin(const std::string& path, bool* usable);

// CheckPlugin prints that. Returns the exit status: 0 when the library is usable, otherwise 1.
int CheckPlugin(const char* path);

}  // namespace sql_rest
