// Runs a call of a plugin's handler. Plain C++, no N-API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plugin_library.h"

namespace sql_rest {

// Why a call failed. The numbers are the same as in FAILURES of src/serve/plugin/wire.ts.
enum class PluginFailure : std::uint16_t {
  kNone = 0,
  kHandlerNotFound = 1,
  kLoadFailed = 2,
  kTimeout = 3,
  kResponseInvalid = 4,
  kResponseTooLarge = 5,
  kInvalidQueryString = 6,
  // The handler threw an exception or ended its thread.
  kCrashed = 7,
};

// PluginCall is one request to a plugin. Its texts are UTF-8, NUL-terminated, and point into `memory`.
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

// PluginResult is the result of a call: a response or a failure.
struct PluginResult {
  PluginFailure failure = PluginFailure::kNone;
  std::uint16_t status = 200;
  // Whether `head` has a Content-Type; otherwise the body is JSON.
  bool has_content_type = false;
  // Header lines, each beginning with CRLF; of a failure, a detail for the log.
  std::string head;
  // Of a failure, the message for the caller.
  std::string body;

  void Fail(PluginFailure reason, std::string message, std::string detail = {}) {
    failure = reason;
    body = std::move(message);
    head = std::move(detail);
  }
};

// RunPluginCall fills the library's variables of this thread from a call, calls the handler and stores its response,
// whose body may have up to `max_response` bytes. An exception becomes a failure; a handler that ends its thread
// (pthread_exit) unwinds the stack through this function. Fails with kInvalidQueryString, kResponseInvalid,
// kResponseTooLarge, kCrashed.
void RunPluginCall(const PluginHandler& handler, const PluginCall& call, std::size_t max_response,
                   PluginResult* result);

}  // namespace sql_rest
