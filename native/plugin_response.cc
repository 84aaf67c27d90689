#include "plugin_response.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "utf8.h"

namespace sql_rest {

namespace {

// Most bytes of all header lines together.
constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::string_view kContentType = "content-type";

// Headers that the service writes itself, and hop-by-hop headers.
constexpr std::array<std::string_view, 10> kOwnHeaders = {
    "connection", "content-length",    "keep-alive", "proxy-connection",       "te",
    "trailer",    "transfer-encoding", "upgrade",    "x-content-type-options", "x-request-id",
};

char Lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsTokenCharacter(char c) noexcept {
  return (c >= '0' && c <= '9') || (Lower(c) >= 'a' && Lower(c) <= 'z') ||
         (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool IsToken(std::string_view name) noexcept {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenCharacter);
}

// UTF-8 without control characters except the tab.
bool IsHeaderValue(std::string_view value) noexcept {
  return IsUtf8(value) && std::all_of(value.begin(), value.end(), [](char c) {
           return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) || c == '\t';
         });
}

}  // namespace

PluginResponse::PluginResponse(PluginResult* result, std::size_t max_response) noexcept
    : service_response{sizeof(service_response), OnStatus, OnHeader, OnWrite},
      result_(*result),
      max_response_(max_response) {}

int PluginResponse::OnStatus(service_response* response, int status) noexcept {
  auto& self = *static_cast<PluginResponse*>(response);
  if (!self.rejected()) SetStatus(status, &self.result_);
  return self.rejected() ? 0 : 1;
}

int PluginResponse::OnHeader(service_response* response, const char* name,
                             const char* value) noexcept {
  auto& self = *static_cast<PluginResponse*>(response);
  return !self.rejected() && self.AddHeader(name, value) ? 1 : 0;
}

int PluginResponse::OnWrite(service_response* response, const void* data,
                            std::size_t length) noexcept {
  auto& self = *static_cast<PluginResponse*>(response);
  return !self.rejected() && self.Write(data, length) ? 1 : 0;
}

bool PluginResponse::AddHeader(const char* name_text, const char* value_text) {
  if (name_text == nullptr || value_text == nullptr) return Reject("has a header that is NULL");
  const std::string_view name(name_text, ::strnlen(name_text, kMaxHead));
  const std::string_view value(value_text, ::strnlen(value_text, kMaxHead));
  std::string& head = result_.head;
  if (name.size() + value.size() + 4 > kMaxHead - head.size())
    return Reject("has more than 64 KiB of headers");
  if (!IsToken(name)) return Reject("has a header whose name is no token");
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), lower) != kOwnHeaders.end())
    return Reject("sets the header " + lower + ", which is the service's own");
  if (!IsHeaderValue(value)) return Reject("has a header " + lower + " whose value is no text");
  if (lower == kContentType) {
    if (value.empty() || result_.has_content_type)
      return Reject("has an empty or a second content-type");
    result_.has_content_type = true;
  }
  head.append("\r\n").append(name).append(": ").append(value);
  return true;
}

bool PluginResponse::Write(const void* data, std::size_t length) {
  if (length == 0) return true;
  if (data == nullptr) return Reject("has a body that is NULL");
  if (length > max_response_ - result_.body.size()) {
    FailTooLarge(max_response_, &result_);
    return false;
  }
  result_.body.append(static_cast<const char*>(data), length);
  return true;
}

bool PluginResponse::Reject(std::string message) {
  result_.Fail(PluginFailure::kResponseInvalid, "the plugin's answer " + std::move(message));
  return false;
}

void SetStatus(int status, PluginResult* result) {
  if (status < 100 || status > 599) {
    result->Fail(PluginFailure::kResponseInvalid, "the plugin's answer has the status " +
                                                      std::to_string(status) +
                                                      ", which is none of 100 to 599");
    return;
  }
  result->status = status < 200 ? 200 : static_cast<std::uint16_t>(status);
}

void FailTooLarge(std::size_t max_response, PluginResult* result) {
  result->Fail(PluginFailure::kResponseTooLarge,
               "the plugin's answer is larger than " + std::to_string(max_response) + " bytes");
}

}  // namespace sql_rest
