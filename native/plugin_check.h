// What an author asks about a library: can it be served, and which handlers has it. Plain C++, no N-API.
#pragma once

namespace sql_rest {

// CheckPlugin loads a file as the service does and prints what it found as one JSON object: {"file", "abi", "handlers":
// [{"method", "function", "form", "symbol"}], "problems": [...]}. Returns the exit status: 0 when it can be served, else 1.
int CheckPlugin(const char* path);

}  // namespace sql_rest
