// Strings of JSON, written as JSON.stringify writes them. Plain C++, no N-API.
#pragma once

#include <string>
#include <string_view>

namespace sql_rest {

// AppendJsonString appends a text with its quotes. What is not UTF-8 is written as if each of its bytes were a character
// of Latin-1, so that JSON is what comes out.
void AppendJsonString(std::string_view text, std::string* json);

}  // namespace sql_rest
