// A call of a plugin's handler: what it is given, what it gave, and the running of it. Plain C++, no N-API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plugin_library.h"

namespace sql_rest {

// What became of a call that gave no answer. The numbers are known to src/plugin/wire.ts too.
enum class PluginFailure : std::uint16_t {
  kNone = 0,
  kHandlerNotFound = 1,
  kLoadFailed = 2,
  kTimeout = 3,
  kResponseInvalid = 4,
  kResponseTooLarge = 5,
  kInvalidQueryString = 6,
  // It threw, or ended its thread.
  kCrashed = 7,
};

// PluginCall is one request to a plugin. The texts are UTF-8, each with a NUL after it, and lie in `memory`.
struct PluginCall {
  std::uint32_t id = 0;
  std::string_view method;
  std::string_view library;
  std::string_view function;
  // Path and query string as sent.
  std::string_view path;
  std::string_view query;
  // name\nvalue\nname\nvalue, names in lower case.
  std::string_view headers;
  std::string_view request_id;
  std::string_view user;
  std::string_view claims;
  std::string_view body;
  std::unique_ptr<char[]> memory;
  std::unique_ptr<char[]> body_memory;
};

// PluginAnswer is what a call gave: an answer, or a failure.
struct PluginAnswer {
  PluginFailure failure = PluginFailure::kNone;
  std::uint16_t status = 200;
  // Whether `head` has a Content-Type; otherwise the body is JSON.
  bool own_type = false;
  // Header lines, each beginning with CRLF; of a failure what the log is told besides.
  std::string head;
  // Of a failure the message for the caller.
  std::string body;

  void Fail(PluginFailure reason, std::string message, std::string detail = {}) {
    failure = reason;
    body = std::move(message);
    head = std::move(detail);
  }
};

// RunPluginCall fills the library's variables of this thread from a call, calls the handler and takes what it gives,
// up to `max_response` bytes. Exceptions end in the answer; a thread that the handler ends (pthread_exit) is unwound
// through it. Fails with kInvalidQueryString, kResponseInvalid, kResponseTooLarge, kCrashed.
void RunPluginCall(const PluginHandler& handler, const PluginCall& call, std::size_t max_response,
                   PluginAnswer* answer);

}  // namespace sql_rest
