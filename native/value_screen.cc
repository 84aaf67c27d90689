// One pass over the characters decides most values; only a value with a space is then split into words, which are
// looked up in the keyword table.
#include "value_screen.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sql_keywords.h"

namespace sql_rest {
namespace {

// Kinds of characters. Characters beyond the table are rejected.
enum Kind : std::uint8_t { kRejected, kWord, kOther };

constexpr std::size_t kAscii = 128;

constexpr std::array<Kind, kAscii> MakeKinds() {
  std::array<Kind, kAscii> kinds{};
  for (char c = 'a'; c <= 'z'; c++) kinds[static_cast<std::size_t>(c)] = kWord;
  for (char c = 'A'; c <= 'Z'; c++) kinds[static_cast<std::size_t>(c)] = kWord;
  for (char c = '0'; c <= '9'; c++) kinds[static_cast<std::size_t>(c)] = kWord;
  kinds['_'] = kWord;
  for (char c : {'.', ':', '@', '/', '\\', ' ', '-'}) kinds[static_cast<std::size_t>(c)] = kOther;
  return kinds;
}

constexpr std::array<Kind, kAscii> kKinds = MakeKinds();

// A keyword that began with x would be missed: the screen reads 0xa as a number, PostgreSQL before version 16 as 0 and
// a word that begins with xa.
constexpr bool IsSortedLowerCase() {
  for (std::size_t i = 0; i < kSqlKeywords.size(); i++) {
    if (i > 0 && !(kSqlKeywords[i - 1] < kSqlKeywords[i])) return false;
    if (kSqlKeywords[i][0] == 'x') return false;
    for (char c : kSqlKeywords[i]) {
      if (c < 'a' || c > 'z') return false;
    }
  }
  return true;
}
static_assert(IsSortedLowerCase(), "the keyword table must be sorted, in lower case and without x");

constexpr std::size_t LongestKeyword() {
  std::size_t longest = 0;
  for (std::string_view word : kSqlKeywords) longest = std::max(longest, word.size());
  return longest;
}
constexpr std::size_t kLongest = LongestKeyword();

template <typename Unit>
constexpr Kind KindOf(Unit unit) {
  const auto code = static_cast<std::make_unsigned_t<Unit>>(unit);
  return code < kAscii ? kKinds[code] : kRejected;
}

// DigitOf returns a digit's value; 16 for anything but a hexadecimal digit.
template <typename Unit>
constexpr int DigitOf(Unit unit) {
  if (unit >= '0' && unit <= '9') return unit - '0';
  if (unit >= 'a' && unit <= 'f') return unit - 'a' + 10;
  if (unit >= 'A' && unit <= 'F') return unit - 'A' + 10;
  return 16;
}

template <typename Unit>
bool IsDecimal(std::basic_string_view<Unit> value, std::size_t i) {
  return i < value.size() && DigitOf(value[i]) < 10;
}

// DigitsEnd returns the end of the digits of a base that begin at i; one `_` may precede each digit.
template <typename Unit>
std::size_t DigitsEnd(std::basic_string_view<Unit> value, std::size_t i, int base) {
  for (;;) {
    const std::size_t digit = i < value.size() && value[i] == '_' ? i + 1 : i;
    if (digit >= value.size() || DigitOf(value[digit]) >= base) return i;
    i = digit + 1;
  }
}

// BaseOf returns the base of a number that begins with 0 and this letter; 0 when the letter selects none.
template <typename Unit>
constexpr int BaseOf(Unit letter) {
  switch (letter) {
    case 'x':
    case 'X':
      return 16;
    case 'o':
    case 'O':
      return 8;
    case 'b':
    case 'B':
      return 2;
    default:
      return 0;
  }
}

// NumberEnd returns the end of the longest number that any version of PostgreSQL reads at i, the beginning of a word, or i.
// PostgreSQL before version 15 accepts a word directly after a number: 0union and 1e0union contain
// the keyword union (src/backend/parser/scan.l: {integer} and {real}, from 16 on also {hexinteger}, {octinteger},
// {bininteger} and `_` between digits). After a point the number may have begun before the word: 1.e5union.
template <typename Unit>
std::size_t NumberEnd(std::basic_string_view<Unit> value, std::size_t i) {
  if (IsDecimal(value, i)) {
    const int base = value[i] == '0' && i + 1 < value.size() ? BaseOf(value[i + 1]) : 0;
    const std::size_t end = base == 0 ? 0 : DigitsEnd(value, i + 2, base);
    if (end > i + 2) return end;
    i = DigitsEnd(value, i, 10);
  } else if (i == 0 || value[i - 1] != '.' || (i > 1 && !IsDecimal(value, i - 2))) {
    return i;
  }
  const bool exponent = i < value.size() && (value[i] == 'e' || value[i] == 'E');
  return exponent && IsDecimal(value, i + 1) ? DigitsEnd(value, i + 1, 10) : i;
}

// IsKeyword expects a word without a leading number.
template <typename Unit>
bool IsKeyword(std::basic_string_view<Unit> word) {
  if (word.size() < 2 || word.size() > kLongest) return false;
  std::array<char, kLongest> lower;
  for (std::size_t i = 0; i < word.size(); i++) {
    const char c = static_cast<char>(word[i]);
    lower[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::binary_search(kSqlKeywords.begin(), kSqlKeywords.end(),
                            std::string_view(lower.data(), word.size()));
}

template <typename Unit>
bool HasKeyword(std::basic_string_view<Unit> value) {
  std::size_t i = 0;
  while (i < value.size()) {
    while (i < value.size() && KindOf(value[i]) == kOther) i++;
    std::size_t start = i;
    // 0b18or is two numbers: 0b1 and 8.
    for (std::size_t end = NumberEnd(value, i); end > start; end = NumberEnd(value, start))
      start = end;
    i = start;
    while (i < value.size() && KindOf(value[i]) != kOther) i++;
    if (IsKeyword(value.substr(start, i - start))) return true;
  }
  return false;
}

template <typename Unit>
bool AcceptsUnits(std::basic_string_view<Unit> value) {
  bool has_space = false;
  Unit previous = 0;
  for (const Unit unit : value) {
    if (KindOf(unit) == kRejected) return false;
    if (unit == previous && (unit == '-' || unit == ':')) return false;
    has_space = has_space || unit == ' ';
    previous = unit;
  }
  return !has_space || !HasKeyword(value);
}

}  // namespace

bool Accepts(std::u16string_view value) noexcept { return AcceptsUnits(value); }

bool Accepts(std::string_view value) noexcept { return AcceptsUnits(value); }

bool HasOnlyAllowed(std::u16string_view value) noexcept {
  return std::all_of(value.begin(), value.end(),
                     [](char16_t unit) { return KindOf(unit) != kRejected; });
}

}  // namespace sql_rest
