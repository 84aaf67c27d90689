// Two slow, independent implementations of the value screen for the fuzz target and the test: one from the
// specification, one from the rules of PostgreSQL's scanner.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../sql_keywords.h"

namespace sql_rest_test {

inline std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

inline bool IsKeyword(std::string_view word) {
  return std::find(sql_rest::kSqlKeywords.begin(), sql_rest::kSqlKeywords.end(), word) !=
         sql_rest::kSqlKeywords.end();
}

// IsDigits returns whether a text consists of digits from a set, at least one, each with at most one `_` before it; the
// first digit may have one only if `begun`.
inline bool IsDigits(std::string_view text, std::string_view digits, bool begun) {
  bool digit = begun;
  bool any = false;
  for (const char c : text) {
    const bool is = digits.find(c) != std::string_view::npos;
    if (!is && (c != '_' || !digit)) return false;
    digit = is;
    any = any || is;
  }
  return any && digit;
}

// IsNumber returns whether some version of PostgreSQL reads the whole text (in lower case, without `.` and `-`) as a
// number; with `fraction` also as the rest of a number after its point.
inline bool IsNumber(std::string_view text, bool fraction) {
  const std::string_view decimal = "0123456789";
  if (IsDigits(text, decimal, false)) return true;
  const std::string_view prefix = text.substr(0, 2);
  const std::string_view rest = text.substr(prefix.size());
  if (prefix == "0x" && IsDigits(rest, "0123456789abcdef", true)) return true;
  if (prefix == "0o" && IsDigits(rest, "01234567", true)) return true;
  if (prefix == "0b" && IsDigits(rest, "01", true)) return true;
  const std::size_t e = text.find('e');
  if (e == std::string_view::npos || !IsDigits(text.substr(e + 1), decimal, false)) return false;
  return e == 0 ? fraction : IsDigits(text.substr(0, e), decimal, false);
}

// HidesKeyword returns whether a word (in lower case) is a keyword, or becomes one without its longest leading numbers.
inline bool HidesKeyword(std::string_view word, bool fraction) {
  if (IsKeyword(word)) return true;
  std::size_t length = word.size();
  while (length > 0 && !IsNumber(word.substr(0, length), fraction)) length--;
  return length > 0 && HidesKeyword(word.substr(length), false);
}

// Reference follows the wording of the specification.
inline bool Reference(const std::string& value) {
  const std::string allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:@/\\ -";
  if (value.find_first_not_of(allowed) != std::string::npos) return false;
  if (value.find("--") != std::string::npos || value.find("::") != std::string::npos) return false;
  if (value.find(' ') == std::string::npos) return true;
  std::string word;
  // The text before the word. It begins with a digit, because the value may follow one in the SQL text.
  std::string before = "0";
  for (const char c : Lower(value) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    const std::size_t size = before.size();
    const bool fraction = size > 1 && before[size - 1] == '.' && std::isdigit(before[size - 2]);
    if (HidesKeyword(word, fraction)) return false;
    before += word + c;
    word.clear();
  }
  return true;
}

// Scanner follows the rules of src/backend/parser/scan.l that apply to values: the longest match wins. `modern` selects
// the numbers of version 16 and later, without its error for a word directly after a number.
class Scanner {
 public:
  Scanner(std::string text, bool modern) : text_(Lower(std::move(text))), modern_(modern) {}

  // HasKeyword returns whether a keyword is among the identifiers that begin at `from` or later.
  bool HasKeyword(std::size_t from) const {
    for (std::size_t i = 0; i < text_.size();) {
      std::size_t end = Identifier(i);
      if (end > i && i >= from && IsKeyword(std::string_view(text_).substr(i, end - i)))
        return true;
      if (end == i) end = Number(i);
      i = end == i ? i + 1 : end;
    }
    return false;
  }

 private:
  bool Is(std::size_t i, std::string_view set) const {
    return i < text_.size() && set.find(text_[i]) != std::string_view::npos;
  }

  // {identifier}, without characters that the screen rejects anyway.
  std::size_t Identifier(std::size_t i) const {
    const std::string_view start = "abcdefghijklmnopqrstuvwxyz_";
    if (!Is(i, start)) return i;
    while (Is(i, start) || Is(i, "0123456789")) i++;
    return i;
  }

  // (_?{digit})* with the digits of a set.
  std::size_t Separated(std::size_t i, std::string_view digits) const {
    for (;;) {
      if (Is(i, digits)) {
        i++;
      } else if (modern_ && Is(i, "_") && Is(i + 1, digits)) {
        i += 2;
      } else {
        return i;
      }
    }
  }

  // {integer}, or {decinteger}.
  std::size_t Integer(std::size_t i) const {
    return Is(i, "0123456789") ? Separated(i, "0123456789") : i;
  }

  // {integer}, {decimal} and {real}, with the parts that {decimalfail} and {realfail} return, and the other bases.
  std::size_t Number(std::size_t i) const {
    std::size_t end = Integer(i);
    if (modern_ && Is(i, "0") && Is(i + 1, "xob")) {
      const std::string_view digits = Is(i + 1, "x")   ? "0123456789abcdef"
                                      : Is(i + 1, "o") ? "01234567"
                                                       : "01";
      const std::size_t other = Separated(i + 2, digits);
      if (other > i + 2) return other;
    }
    const bool decimal =
        end > i ? Is(end, ".") && !Is(end + 1, ".") : Is(i, ".") && Is(i + 1, "0123456789");
    if (decimal) end = Integer(end + 1);
    if (end == i || !Is(end, "e")) return end;
    const std::size_t exponent = Is(end + 1, "-") ? end + 2 : end + 1;
    const std::size_t real = Integer(exponent);
    return real > exponent ? real : end;
  }

  std::string text_;
  bool modern_;
};

// ShowsKeyword returns whether some version of PostgreSQL reads a keyword in a value, alone or after a digit.
inline bool ShowsKeyword(const std::string& value) {
  for (const bool modern : {false, true}) {
    if (Scanner(value, modern).HasKeyword(0)) return true;
    if (value[0] == '.' && Scanner("1" + value, modern).HasKeyword(1)) return true;
  }
  return false;
}

}  // namespace sql_rest_test
