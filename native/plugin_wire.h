// The wire format between an HTTP process and the pool that runs plugin calls, the C++ side of src/serve/plugin/wire.ts:
// calls one way, records the other. Plain C++, no N-API.
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

// Kinds of messages to a host process, as MessageKind in wire.ts.
enum class PluginMessageKind : std::uint32_t {
  kCalls = 0,
  kLibrary = 1,
  kAbandon = 2,
  kRetire = 3
};

// Kinds of records, as RecordKind in wire.ts, which describes them.
enum class PluginRecordKind : std::uint16_t {
  kJson = 0,
  kTyped = 1,
  kFailed = 2,
  kReturned = 3,
  kRetired = 4,
  kLoaded = 5,
  kUnloadable = 6,
  kStuck = 7,
  kOverMemory = 8,
  kCrashed = 9,
  kAlive = 10,
};

// Bytes of a record before its `head` and `body`.
constexpr std::size_t kRecordHead = 16;

// WriteRecordHead writes those bytes: id, kind, status, and the lengths of `head` and `body`. Async-signal-safe.
void WriteRecordHead(char* to, PluginRecordKind kind, std::uint32_t id, std::uint16_t status,
                     std::size_t head, std::size_t body) noexcept;

// DecodeCalls decodes packed calls (packRequest in src/messages/batch.ts); false when they are malformed.
bool DecodeCalls(std::u16string_view packed, std::vector<PluginCall>* calls);

// DecodeIds decodes packed ids (packId in src/messages/batch.ts).
std::vector<std::uint32_t> DecodeIds(std::u16string_view packed);

// ToUtf8 replaces an unpaired surrogate with U+FFFD.
std::string ToUtf8(std::u16string_view text);

// PluginRecordQueue collects records of any number of threads until they are taken.
class PluginRecordQueue {
 public:
  // `wake` is called on the thread that adds the first record to an empty queue.
  explicit PluginRecordQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  void Add(PluginRecordKind kind, std::uint32_t id, std::uint16_t status = 0,
           std::string_view head = {}, std::string_view body = {});
  // Take removes and returns all records, if any.
  std::string Take();

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::string bytes_;
};

}  // namespace sql_rest
