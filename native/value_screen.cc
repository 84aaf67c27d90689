// The value screen. One pass over the characters settles most values; only one that contains a space is then cut into
// words and these looked up in the keyword table.
#include "value_screen.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sql_keywords.h"

namespace sql_rest {
namespace {

// What a character may be part of. Characters beyond the table are refused.
enum Kind : std::uint8_t { kRefused, kLetter, kDigit, kOther };

constexpr std::size_t kAscii = 128;

constexpr std::array<Kind, kAscii> MakeKinds() {
  std::array<Kind, kAscii> kinds{};
  for (char c = 'a'; c <= 'z'; c++) kinds[static_cast<std::size_t>(c)] = kLetter;
  for (char c = 'A'; c <= 'Z'; c++) kinds[static_cast<std::size_t>(c)] = kLetter;
  for (char c = '0'; c <= '9'; c++) kinds[static_cast<std::size_t>(c)] = kDigit;
  kinds['_'] = kLetter;
  for (char c : {'.', ':', '@', '/', '\\', ' ', '-'}) kinds[static_cast<std::size_t>(c)] = kOther;
  return kinds;
}

constexpr std::array<Kind, kAscii> kKinds = MakeKinds();

constexpr bool IsSortedLowerCase() {
  for (std::size_t i = 0; i < kSqlKeywords.size(); i++) {
    if (i > 0 && !(kSqlKeywords[i - 1] < kSqlKeywords[i])) return false;
    for (char c : kSqlKeywords[i]) {
      if (c < 'a' || c > 'z') return false;
    }
  }
  return true;
}
static_assert(IsSortedLowerCase(), "the keyword table must be sorted and in lower case");

constexpr std::size_t LongestKeyword() {
  std::size_t longest = 0;
  for (std::string_view word : kSqlKeywords) longest = std::max(longest, word.size());
  return longest;
}
constexpr std::size_t kLongest = LongestKeyword();

template <typename Unit>
constexpr Kind KindOf(Unit unit) {
  const auto code = static_cast<std::make_unsigned_t<Unit>>(unit);
  return code < kAscii ? kKinds[code] : kRefused;
}

// IsKeyword takes a word without its leading digits.
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
    // Leading digits do not hide a word: 0union reads as union to PostgreSQL before version 15.
    while (i < value.size() && KindOf(value[i]) == kDigit) i++;
    const std::size_t start = i;
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
    if (KindOf(unit) == kRefused) return false;
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
                     [](char16_t unit) { return KindOf(unit) != kRefused; });
}

}  // namespace sql_rest
