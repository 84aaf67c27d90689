// libFuzzer target: decoded parameters are UTF-8 without NUL and within the limit, and are the same after encoding and
// decoding them again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../query_string.h"
#include "../utf8.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

// Encode escapes every byte.
std::string Encode(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string encoded;
  for (const char c : text) {
    Check(c != '\0');
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 0xF];
  }
  return encoded;
}

// EncodeAll encodes all parameters, grouped by name. The equals sign keeps an empty pair from being skipped.
std::string EncodeAll(const std::vector<sql_rest::QueryParameter>& parameters) {
  std::string encoded;
  std::size_t pairs = 0;
  for (const sql_rest::QueryParameter& parameter : parameters) {
    Check(!parameter.values.empty() && sql_rest::IsUtf8(parameter.name));
    for (const std::string& value : parameter.values) {
      Check(sql_rest::IsUtf8(value));
      encoded.append(Encode(parameter.name)).append("=").append(Encode(value)).append("&");
      pairs++;
    }
  }
  Check(pairs <= 1000);
  return encoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  std::vector<sql_rest::QueryParameter> parameters;
  std::vector<sql_rest::QueryParameter> again;
  std::string message;
  if (!sql_rest::ParseQueryString(raw, &parameters, &message)) {
    Check(!message.empty());
    return 0;
  }
  const std::string encoded = EncodeAll(parameters);
  Check(sql_rest::ParseQueryString(encoded, &again, &message));
  Check(EncodeAll(again) == encoded);
  return 0;
}
