#include "json_text.h"

#include <cstdio>

#include "utf8.h"

namespace sql_rest {

namespace {

// EscapeLetter returns the letter of a character's two-character escape, 0 when it has none.
char EscapeLetter(char c) noexcept {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return '\0';
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* json) {
  const bool utf8 = IsUtf8(text);
  *json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const char letter = EscapeLetter(c); letter != '\0') {
      *json += '\\';
      *json += letter;
    } else if (byte < 0x20 || (byte >= 0x80 && !utf8)) {
      char escape[7];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      *json += escape;
    } else {
      *json += c;
    }
  }
  *json += '"';
}

}  // namespace sql_rest
