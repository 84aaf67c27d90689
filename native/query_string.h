// Decodes the query string of a request exactly as src/script/request/query-string.ts does for scripts. Plain C++, no N-API.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sql_rest {

// A parameter and its values, in the order sent.
struct QueryParameter {
  std::string name;
  std::vector<std::string> values;
};

// ParseQueryString decodes a raw query string (without the question mark) into parameters, in order of first
// appearance. Returns false, with a message for the caller, for an invalid escape, invalid UTF-8, NUL, an unescaped
// U+FFFD, or more than 1000 pairs.
bool ParseQueryString(std::string_view raw, std::vector<QueryParameter>* parameters,
                      std::string* message);

}  // namespace sql_rest
