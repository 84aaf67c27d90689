// The response that a handler of the third form builds: what the functions of service_response do, and what they
// refuse. Plain C++, no N-API; no exception leaves it, for its callers may be of any language.
#pragma once

#include <cstddef>
#include <string>

#include "include/service_plugin.h"
#include "plugin_call.h"

namespace sql_rest {

// PluginResponse writes into an answer. The first refusal makes that a failure, and all that follows is refused too.
class PluginResponse final : public service_response {
 public:
  PluginResponse(PluginAnswer* answer, std::size_t max_response) noexcept;

 private:
  static int OnStatus(service_response* response, int status) noexcept;
  static int OnHeader(service_response* response, const char* name, const char* value) noexcept;
  static int OnWrite(service_response* response, const void* data, std::size_t length) noexcept;

  bool refused() const noexcept { return answer_.failure != PluginFailure::kNone; }
  bool AddHeader(const char* name, const char* value);
  bool Write(const void* data, std::size_t length);
  // Refuse makes the answer a failure; false.
  bool Refuse(std::string message);

  PluginAnswer& answer_;
  const std::size_t max_response_;
};

// SetAnswerStatus gives an answer a handler's status, or makes it a failure. An interim status (100 to 199) can not end
// an exchange: as Go's server does for pREST, the answer has 200 instead.
void SetAnswerStatus(int status, PluginAnswer* answer);

// FailTooLarge makes an answer one whose body is larger than it may be.
void FailTooLarge(std::size_t max_response, PluginAnswer* answer);

}  // namespace sql_rest
