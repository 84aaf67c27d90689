#include "plugin_response.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "utf8.h"

namespace sql_rest {

namespace {

// Most bytes of all header lines.
constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::string_view kContentType = "content-type";

// Headers that the service writes itself, and those of one connection, which is the service's too.
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

// Text without control characters but the tab. Beyond ASCII it has to be UTF-8, for as that it is passed on.
bool IsHeaderValue(std::string_view value) noexcept {
  return IsUtf8(value) && std::all_of(value.begin(), value.end(), [](char c) {
           return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) || c == '\t';
         });
}

}  // namespace

PluginResponse::PluginResponse(PluginAnswer* answer, std::size_t max_response) noexcept
    : service_response{sizeof(service_response), OnStatus, OnHeader, OnWrite},
      answer_(*answer),
      max_response_(max_response) {}

int PluginResponse::OnStatus(service_response* response, int status) noexcept {
  auto& self = *static_cast<PluginResponse*>(response);
  if (!self.refused()) SetAnswerStatus(status, &self.answer_);
  return self.refused() ? 0 : 1;
}

int PluginResponse::OnHeader(service_response* response, const char* name,
                             const char* value) noexcept {
  auto& self = *static_cast<PluginResponse*>(response);
  return !self.refused() && self.AddHeader(name, value) ? 1 : 0;
}

int PluginResponse::OnWrite(service_response* response, const void* data,
                            std::size_t length) noexcept {
  auto& self = *static_cast<PluginResponse*>(response);
  return !self.refused() && self.Write(data, length) ? 1 : 0;
}

bool PluginResponse::AddHeader(const char* name_text, const char* value_text) {
  if (name_text == nullptr || value_text == nullptr) return Refuse("has a header that is NULL");
  const std::string_view name(name_text, ::strnlen(name_text, kMaxHead));
  const std::string_view value(value_text, ::strnlen(value_text, kMaxHead));
  std::string& head = answer_.head;
  if (name.size() + value.size() + 4 > kMaxHead - head.size())
    return Refuse("has more than 64 KiB of headers");
  if (!IsToken(name)) return Refuse("has a header whose name is no token");
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), lower) != kOwnHeaders.end())
    return Refuse("sets the header " + lower + ", which is the service's own");
  if (!IsHeaderValue(value)) return Refuse("has a header " + lower + " whose value is no text");
  if (lower == kContentType) {
    if (value.empty() || answer_.own_type) return Refuse("has an empty or a second content-type");
    answer_.own_type = true;
  }
  head.append("\r\n").append(name).append(": ").append(value);
  return true;
}

bool PluginResponse::Write(const void* data, std::size_t length) {
  if (length == 0) return true;
  if (data == nullptr) return Refuse("has a body that is NULL");
  if (length > max_response_ - answer_.body.size()) {
    FailTooLarge(max_response_, &answer_);
    return false;
  }
  answer_.body.append(static_cast<const char*>(data), length);
  return true;
}

bool PluginResponse::Refuse(std::string message) {
  answer_.Fail(PluginFailure::kResponseInvalid, "the plugin's answer " + std::move(message));
  return false;
}

void SetAnswerStatus(int status, PluginAnswer* answer) {
  if (status < 100 || status > 599) {
    answer->Fail(PluginFailure::kResponseInvalid, "the plugin's answer has the status " +
                                                      std::to_string(status) +
                                                      ", which is none of 100 to 599");
    return;
  }
  answer->status = status < 200 ? 200 : static_cast<std::uint16_t>(status);
}

void FailTooLarge(std::size_t max_response, PluginAnswer* answer) {
  answer->Fail(PluginFailure::kResponseTooLarge,
               "the plugin's answer is larger than " + std::to_string(max_response) + " bytes");
}

}  // namespace sql_rest
