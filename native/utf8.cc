#include "utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sql_rest {

namespace {

// SkipAscii returns the first byte beyond ASCII, or the end. It tests eight bytes at a time, because most texts are
// ASCII.
const unsigned char* SkipAscii(const unsigned char* at, const unsigned char* end) noexcept {
  while (end - at >= 8) {
    std::uint64_t eight;
    std::memcpy(&eight, at, sizeof(eight));
    if ((eight & 0x8080808080808080U) != 0) break;
    at += sizeof(eight);
  }
  while (at < end && *at < 0x80) at++;
  return at;
}

bool IsBetween(unsigned char byte, unsigned char low, unsigned char high) noexcept {
  return byte >= low && byte <= high;
}

// Sequence returns the length of the well-formed multi-byte character at `at`, or 0.
std::ptrdiff_t Sequence(const unsigned char* at, const unsigned char* end) noexcept {
  const unsigned char lead = *at;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::ptrdiff_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (end - at < length) return 0;
  // The range of the second byte excludes overlong forms, surrogates and code points beyond U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!IsBetween(at[1], low, high)) return 0;
  for (std::ptrdiff_t i = 2; i < length; i++)
    if (!IsBetween(at[i], 0x80, 0xBF)) return 0;
  return length;
}

}  // namespace

bool IsUtf8(std::string_view bytes) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* end = at + bytes.size();
  while ((at = SkipAscii(at, end)) < end) {
    const std::ptrdiff_t length = Sequence(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace sql_rest
