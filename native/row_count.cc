#include "row_count.h"

#include <array>

namespace sql_rest {

namespace {

// Between two rows in the text of json_agg (json_agg_transfn in PostgreSQL's json.c), without the brace of the second.
// No string has a line break, and jsonb_agg writes none.
constexpr std::string_view kSeparator = "}, \n ";

constexpr std::string_view kSpace = " \n\r\t";

constexpr std::array<bool, 256> MakeStructural() noexcept {
  std::array<bool, 256> table{};
  for (const unsigned char byte : {'"', '[', ']', '{', '}', ','}) table[byte] = true;
  return table;
}

// The bytes that begin or end a string, an array, an object or an element.
constexpr std::array<bool, 256> kStructural = MakeStructural();

// SeparatedRows counts the rows of json_agg by the text between them. It returns 0 when a brace without that text before
// it may begin an element of an array: such a row may have the text in it, so that the array must be scanned.
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

// EndOfString returns the index of the quote that ends the string whose first quote is at `at`; the size without one.
std::size_t EndOfString(std::string_view json, std::size_t at) noexcept {
  for (at = json.find('"', at + 1); at != std::string_view::npos; at = json.find('"', at + 1)) {
    std::size_t backslashes = 0;
    while (json[at - 1 - backslashes] == '\\') backslashes++;  // up to the first quote
    if (backslashes % 2 == 0) return at;
  }
  return json.size();
}

// Elements counts the elements of an array.
std::size_t Elements(std::string_view json) noexcept {
  const std::size_t first = json.find_first_not_of(kSpace, 1);
  if (first == std::string_view::npos || json[first] == ']') return 0;
  std::size_t elements = 1;
  std::size_t depth = 1;
  for (std::size_t at = first; at < json.size(); at++) {
    if (!kStructural[static_cast<unsigned char>(json[at])]) continue;
    switch (json[at]) {
      case '"':
        at = EndOfString(json, at);
        break;
      case '[':
      case '{':
        depth++;
        break;
      case ',':
        if (depth == 1) elements++;
        break;
      default:
        depth--;
    }
  }
  return elements;
}

}  // namespace

std::size_t CountRows(std::string_view json) noexcept {
  if (json.empty()) return 0;
  if (json.front() != '[') return 1;
  const std::size_t rows = SeparatedRows(json);
  return rows > 0 ? rows : Elements(json);
}

}  // namespace sql_rest
