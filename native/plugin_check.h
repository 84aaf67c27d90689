// Checks a library for its author: whether it can be served, and which handlers it has. Plain C++, no N-API.
#pragma once

#include <string>

namespace sql_rest {

// DescribePlugin loads a file as the service does and returns the findings as one JSON object: {"file", "abi",
// "handlers": [{"method", "function", "form", "symbol"}], "problems": [...]}, handlers sorted by symbol. `usable` is
// set to whether there are no problems: the library loads, and every handler can be called. Problems include the
// loader's messages.
std::string DescribePlugin(const std::string& path, bool* usable);

// CheckPlugin prints the description. Returns the exit status: 0 when the library is usable, otherwise 1.
int CheckPlugin(const char* path);

}  // namespace sql_rest
