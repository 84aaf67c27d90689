#include "query_string.h"

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "utf8.h"

namespace sql_rest {

namespace {

constexpr std::size_t kMaxPairs = 1000;
// Up to this number of parameters, a linear search is used instead of an index.
constexpr std::size_t kFewParameters = 16;
constexpr char kInvalid[] = "invalid query string";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

int HexDigit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decode decodes a name or a value; false for an invalid escape, or one that yields NUL or invalid UTF-8.
bool Decode(std::string_view encoded, std::string* decoded) {
  decoded->reserve(encoded.size());
  bool escapes = false;
  for (std::size_t i = 0; i < encoded.size(); i++) {
    const char c = encoded[i];
    if (c != '%') {
      *decoded += c == '+' ? ' ' : c;
      continue;
    }
    if (encoded.size() - i < 3) return false;
    const int high = HexDigit(encoded[i + 1]);
    const int low = HexDigit(encoded[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
    *decoded += static_cast<char>(high * 16 + low);
    escapes = true;
    i += 2;
  }
  return !escapes || IsUtf8(*decoded);
}

// Groups values by name.
class Parameters {
 public:
  explicit Parameters(std::vector<QueryParameter>* list) : list_(*list) { list_.clear(); }

  void Add(std::string name, std::string value) {
    QueryParameter* parameter = Find(name);
    if (parameter == nullptr) {
      if (!index_.empty()) index_.emplace(name, list_.size());
      parameter = &list_.emplace_back();
      parameter->name = std::move(name);
    }
    parameter->values.push_back(std::move(value));
  }

 private:
  QueryParameter* Find(const std::string& name) {
    if (list_.size() > kFewParameters) return FindIndexed(name);
    for (QueryParameter& parameter : list_)
      if (parameter.name == name) return &parameter;
    return nullptr;
  }

  QueryParameter* FindIndexed(const std::string& name) {
    if (index_.empty())
      for (std::size_t i = 0; i < list_.size(); i++) index_.emplace(list_[i].name, i);
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &list_[found->second];
  }

  std::vector<QueryParameter>& list_;
  std::unordered_map<std::string, std::size_t> index_;
};

bool Reject(std::string* message) {
  *message = kInvalid;
  return false;
}

}  // namespace

bool ParseQueryString(std::string_view raw, std::vector<QueryParameter>* parameters,
                      std::string* message) {
  Parameters collected(parameters);
  if (raw.empty()) return true;
  if (!IsUtf8(raw) || raw.find('\0') != std::string_view::npos ||
      raw.find(kReplacement) != std::string_view::npos)
    return Reject(message);
  std::size_t pairs = 0;
  for (std::size_t start = 0; start < raw.size();) {
    std::size_t end = raw.find('&', start);
    if (end == std::string_view::npos) end = raw.size();
    const std::string_view pair = raw.substr(start, end - start);
    start = end + 1;
    if (pair.empty()) continue;
    if (++pairs > kMaxPairs) {
      *message = std::string(kInvalid) + ": more than " + std::to_string(kMaxPairs) + " parameters";
      return false;
    }
    const std::size_t equals = pair.find('=');
    std::string name;
    std::string value;
    if (!Decode(pair.substr(0, equals), &name)) return Reject(message);
    if (equals != std::string_view::npos && !Decode(pair.substr(equals + 1), &value))
      return Reject(message);
    collected.Add(std::move(name), std::move(value));
  }
  return true;
}

}  // namespace sql_rest
