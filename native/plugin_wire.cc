// Calls arrive as UTF-16, the encoding of JavaScript's strings, and are converted to UTF-8 in one allocation for each
// call.
#include "plugin_wire.h"

#include <array>
#include <cstring>
#include <utility>

namespace sql_rest {
namespace {

constexpr std::size_t kTexts = 9;
// UTF-16 units before the texts of a call: its id, and the length of each text.
constexpr std::size_t kCallHead = 4 + kTexts * 3;

void WriteNumber(char* to, std::uint32_t number, int bytes) noexcept {
  for (int i = 0; i < bytes; i++) to[i] = static_cast<char>(number >> (8 * i));
}

std::uint32_t Number(const char16_t* from, int units) noexcept {
  std::uint32_t number = 0;
  for (int i = 0; i < units; i++) number = number << 8 | (from[i] & 0xffu);
  return number;
}

bool IsLead(char16_t unit) noexcept { return unit >= 0xd800 && unit < 0xdc00; }
bool IsTrail(char16_t unit) noexcept { return unit >= 0xdc00 && unit < 0xe000; }

// EncodeUtf8 writes at most three bytes for each unit, and returns the end.
char* EncodeUtf8(std::u16string_view text, char* to) noexcept {
  for (std::size_t i = 0; i < text.size(); i++) {
    std::uint32_t point = text[i];
    if (point < 0x80) {
      *to++ = static_cast<char>(point);
      continue;
    }
    if (IsLead(text[i]) && i + 1 < text.size() && IsTrail(text[i + 1])) {
      point = 0x10000 + ((point - 0xd800) << 10) + (text[++i] - 0xdc00u);
      *to++ = static_cast<char>(0xf0 | point >> 18);
      *to++ = static_cast<char>(0x80 | (point >> 12 & 0x3f));
    } else if (point < 0x800) {
      *to++ = static_cast<char>(0xc0 | point >> 6);
      *to++ = static_cast<char>(0x80 | (point & 0x3f));
      continue;
    } else {
      if (IsLead(text[i]) || IsTrail(text[i])) point = 0xfffd;
      *to++ = static_cast<char>(0xe0 | point >> 12);
    }
    *to++ = static_cast<char>(0x80 | (point >> 6 & 0x3f));
    *to++ = static_cast<char>(0x80 | (point & 0x3f));
  }
  return to;
}

}  // namespace

void WriteRecordHead(char* to, PluginRecordKind kind, std::uint32_t id, std::uint16_t status,
                     std::size_t head, std::size_t body) noexcept {
  WriteNumber(to, id, 4);
  WriteNumber(to + 4, static_cast<std::uint32_t>(kind), 2);
  WriteNumber(to + 6, status, 2);
  WriteNumber(to + 8, static_cast<std::uint32_t>(head), 4);
  WriteNumber(to + 12, static_cast<std::uint32_t>(body), 4);
}

bool DecodeCalls(std::u16string_view packed, std::vector<PluginCall>* calls) {
  for (std::size_t at = 0; at < packed.size();) {
    if (packed.size() - at < kCallHead) return false;
    const char16_t* head = packed.data() + at;
    at += kCallHead;
    std::array<std::size_t, kTexts> lengths;
    std::size_t units = 0;
    for (std::size_t i = 0; i < kTexts; i++) units += lengths[i] = Number(head + 4 + i * 3, 3);
    if (packed.size() - at < units) return false;
    PluginCall call;
    call.id = Number(head, 4);
    call.memory.reset(new char[units * 3 + kTexts]);
    const std::array<std::string_view*, kTexts> texts = {
        &call.method,  &call.library,    &call.function, &call.path,   &call.query,
        &call.headers, &call.request_id, &call.user,     &call.claims,
    };
    char* to = call.memory.get();
    for (std::size_t i = 0; i < kTexts; i++) {
      char* const end = EncodeUtf8(packed.substr(at, lengths[i]), to);
      at += lengths[i];
      *end = '\0';
      *texts[i] = std::string_view(to, static_cast<std::size_t>(end - to));
      to = end + 1;
    }
    calls->push_back(std::move(call));
  }
  return true;
}

std::vector<std::uint32_t> DecodeIds(std::u16string_view packed) {
  std::vector<std::uint32_t> ids;
  for (std::size_t at = 0; at + 4 <= packed.size(); at += 4)
    ids.push_back(Number(packed.data() + at, 4));
  return ids;
}

std::string ToUtf8(std::u16string_view text) {
  std::string bytes(text.size() * 3, '\0');
  bytes.resize(static_cast<std::size_t>(EncodeUtf8(text, bytes.data()) - bytes.data()));
  return bytes;
}

void PluginRecordQueue::Add(PluginRecordKind kind, std::uint32_t id, std::uint16_t status,
                            std::string_view head, std::string_view body) {
  char numbers[kRecordHead];
  WriteRecordHead(numbers, kind, id, status, head.size(), body.size());
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    first = bytes_.empty();
    bytes_.append(numbers, kRecordHead).append(head).append(body);
  }
  if (first) wake_();
}

std::string PluginRecordQueue::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(bytes_, {});
}

}  // namespace sql_rest
