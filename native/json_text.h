// JSON strings, as JSON.stringify writes them. Plain C++, no N-API.
#pragma once

#include <string>
#include <string_view>

namespace sql_rest {

// AppendJsonString appends a quoted string. Text that is not UTF-8 is read as Latin-1, so that the result is always
// valid JSON.
void AppendJsonString(std::string_view text, std::string* json);

}  // namespace sql_rest
