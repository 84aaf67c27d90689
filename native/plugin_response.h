// The functions of service_response, with which a handler of the response form builds its response. Plain C++, no
// N-API. They are noexcept, because their callers may be written in any language.
#pragma once

#include <cstddef>
#include <string>

#include "include/service_plugin.h"
#include "plugin_call.h"

namespace sql_rest {

// PluginResponse writes into a result. The first invalid part turns that into a failure, and later calls are rejected.
class PluginResponse final : public service_response {
 public:
  PluginResponse(PluginResult* result, std::size_t max_response) noexcept;

 private:
  static int OnStatus(service_response* response, int status) noexcept;
  static int OnHeader(service_response* response, const char* name, const char* value) noexcept;
  static int OnWrite(service_response* response, const void* data, std::size_t length) noexcept;

  bool rejected() const noexcept { return result_.failure != PluginFailure::kNone; }
  bool AddHeader(const char* name, const char* value);
  bool Write(const void* data, std::size_t length);
  // Reject turns the result into a failure. Returns false.
  bool Reject(std::string message);

  PluginResult& result_;
  const std::size_t max_response_;
};

// SetStatus sets the status, or turns the result into a failure. An informational status (below 200) cannot end a
// response, so 200 is sent, as Go's server does for pREST.
void SetStatus(int status, PluginResult* result);

// FailTooLarge turns the result into the failure of a body above `max_response`.
void FailTooLarge(std::size_t max_response, PluginResult* result);

}  // namespace sql_rest
