#include "json_rows.h"

namespace sql_rest {

namespace {

// Between two rows in the text of json_agg (json_agg_transfn in PostgreSQL's json.c), without the brace of the second.
// No string has a line break, and jsonb_agg writes none.
constexpr std::string_view kSeparator = "}, \n ";

constexpr std::string_view kSpace = " \n\r\t";

// SeparatedRows counts the rows of json_agg by the text between them. Rows that have objects in arrays may have that
// text, too: it returns 0 when a brace may be that of an element of an array, and no separator is before it.
std::size_t SeparatedRows(std::string_view json) noexcept {
  if (json.substr(0, 2) != "[{") return 0;
  std::size_t rows = 1;
  for (std::size_t at = json.find('{', 2); at != std::string_view::npos;
       at = json.find('{', at + 1)) {
    const std::string_view before = json.substr(0, at);
    if (at > kSeparator.size() && before.substr(at - kSeparator.size()) == kSeparator) {
      rows++;
      continue;
    }
    // Not empty: the text begins with a bracket.
    const char last = before[before.find_last_not_of(kSpace)];
    if (last == '[' || last == ',') return 0;
  }
  return rows;
}

// EndOfString returns the index of the quote that ends the string whose first quote is at `at`.
std::size_t EndOfString(std::string_view json, std::size_t at) noexcept {
  while (++at < json.size() && json[at] != '"') {
    if (json[at] == '\\') at++;
  }
  return at;
}

// Elements counts the elements of an array in JSON of any form.
std::size_t Elements(std::string_view json) noexcept {
  std::size_t depth = 0;
  std::size_t commas = 0;
  bool is_empty = true;
  for (std::size_t at = 0; at < json.size(); at++) {
    switch (json[at]) {
      case '"':
        at = EndOfString(json, at);
        break;
      case '[':
      case '{':
        if (depth++ == 0) continue;
        break;
      case ']':
      case '}':
        if (depth > 0) depth--;
        continue;
      case ',':
        if (depth == 1) commas++;
        continue;
      case ' ':
      case '\n':
        continue;
      default:
        break;
    }
    is_empty = false;
  }
  return is_empty ? 0 : commas + 1;
}

}  // namespace

std::size_t JsonRows(std::string_view json) noexcept {
  if (json.empty() || json.front() != '[') return json.empty() ? 0 : 1;
  const std::size_t rows = SeparatedRows(json);
  return rows > 0 ? rows : Elements(json);
}

}  // namespace sql_rest
