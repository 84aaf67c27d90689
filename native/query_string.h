// The query string of a request, decoded as src/script/query-string.ts does it for scripts: the same pairs, the same
// refusals. Plain C++, no N-API.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sql_rest {

// A parameter with its values in the order sent.
struct QueryParameter {
  std::string name;
  std::vector<std::string> values;
};

// ParseQueryString decodes a raw query string (UTF-8, without the question mark) into parameters by first appearance.
// Returns false, with the message for the caller, for an invalid escape, what is not UTF-8, NUL, U+FFFD sent raw, or
// more than 1000 pairs.
bool ParseQueryString(std::string_view raw, std::vector<QueryParameter>* parameters,
                      std::string* message);

}  // namespace sql_rest
