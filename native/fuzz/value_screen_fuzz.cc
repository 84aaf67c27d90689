// libFuzzer target: the screen must agree with a slow reference that is written from the specification's words, on any
// bytes, and in both of its forms.
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../sql_keywords.h"
#include "../value_screen.h"

namespace {

// Cuts a value at every character that is not part of a word.
std::vector<std::string> Words(const std::string& value) {
  std::vector<std::string> words(1);
  for (const char c : value) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      words.back() += static_cast<char>(std::tolower(c));
    } else {
      words.emplace_back();
    }
  }
  return words;
}

bool Reference(const std::string& value) {
  const std::string allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:@/\\ -";
  if (value.find_first_not_of(allowed) != std::string::npos) return false;
  if (value.find("--") != std::string::npos || value.find("::") != std::string::npos) return false;
  if (value.find(' ') == std::string::npos) return true;
  for (std::string word : Words(value)) {
    while (!word.empty() && word[0] >= '0' && word[0] <= '9') word.erase(0, 1);
    for (const std::string_view keyword : sql_rest::kSqlKeywords) {
      if (word == keyword) return false;
    }
  }
  return true;
}

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::u16string widened(data, data + size);
  const bool accepted = sql_rest::Accepts(bytes);
  Check(accepted == Reference(bytes));
  Check(accepted == sql_rest::Accepts(widened));
  // The addon refuses a long value by a prefix of it.
  if (accepted) Check(sql_rest::HasOnlyAllowed(widened.substr(0, size / 2)));
  // The same bytes as UTF-16: a unit beyond ASCII refuses the value, whatever its low byte is.
  std::u16string units(size / 2, u'\0');
  if (!units.empty()) std::memcpy(units.data(), data, units.size() * 2);
  bool ascii = true;
  for (const char16_t unit : units) ascii = ascii && unit < 0x80;
  if (!ascii) {
    Check(!sql_rest::Accepts(units));
  } else {
    Check(sql_rest::Accepts(units) == Reference(std::string(units.begin(), units.end())));
  }
  return 0;
}
