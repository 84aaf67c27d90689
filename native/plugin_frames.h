// What passes between a front end and the pool that runs plugin calls, as src/plugin/wire.ts has it: calls on the way
// there, records on the way back. Plain C++, no N-API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugin_call.h"

namespace sql_rest {

// Kinds of messages to a host process.
enum class PluginMessage : std::uint32_t { kCalls = 0, kLibrary = 1, kAbandon = 2, kRetire = 3 };

// Kinds of records.
enum class PluginRecord : std::uint16_t {
  kJson = 0,
  kTyped = 1,
  kFailed = 2,
  kReturned = 3,
  kRetired = 4,
  kLoaded = 5,
  kUnloadable = 6,
  kStuck = 7,
  kSwollen = 8,
  kCrashed = 9,
  kAlive = 10,
};

// Bytes of a record before its head and body.
constexpr std::size_t kRecordHead = 16;

// WriteRecordHead writes them: id, kind, status, and the lengths of head and body. Safe in a signal handler.
void WriteRecordHead(char* to, PluginRecord kind, std::uint32_t id, std::uint16_t status,
                     std::size_t head, std::size_t body) noexcept;

// DecodeCalls reads packed calls (packRequest in src/protocol.ts). False when they are not what they should be.
bool DecodeCalls(std::u16string_view packed, std::vector<PluginCall>* calls);

// DecodeIds reads packed ids (packId in src/protocol.ts).
std::vector<std::uint32_t> DecodeIds(std::u16string_view packed);

// ToUtf8 encodes a text; half a surrogate pair becomes U+FFFD.
std::string ToUtf8(std::u16string_view text);

// PluginRecords collects records until they are taken, for any number of threads.
class PluginRecords {
 public:
  // `wake` is called, on the thread that adds it, for the first record since all were taken.
  explicit PluginRecords(std::function<void()> wake) : wake_(std::move(wake)) {}

  void Add(PluginRecord kind, std::uint32_t id, std::uint16_t status = 0,
           std::string_view head = {}, std::string_view body = {});
  // Take gives all records, and an empty string when there are none.
  std::string Take();

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::string bytes_;
};

}  // namespace sql_rest
