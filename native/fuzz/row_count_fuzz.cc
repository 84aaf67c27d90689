// libFuzzer target: arrays of rows as json_agg and jsonb_agg write them, with values of any form, have as many rows as were
// written into them. Texts that are no JSON are read within their bounds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../row_count.h"

namespace {

using sql_rest::CountRows;

// Separators of elements and members; json columns keep those that they were written with.
constexpr std::array<const char*, 4> kSeparators = {", \n ", ", ", ",", "\t\r,\n"};

// Writer makes JSON as the bytes of an input choose.
class Writer {
 public:
  Writer(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::size_t Choose(std::size_t options) { return at_ == end_ ? 0 : *at_++ % options; }

  std::string Row(int depth) {
    std::string json = "{";
    const std::size_t members = Choose(4);
    for (std::size_t i = 0; i < members; i++) {
      if (i > 0) json += Separator();
      json += String() + (Choose(2) == 0 ? ":" : "\n : ") + Value(depth);
    }
    return json + "}";
  }

 private:
  std::string Separator() { return kSeparators[Choose(kSeparators.size())]; }

  // No byte of a string is a line break: control characters are escaped.
  std::string String() {
    constexpr std::array<const char*, 10> kParts = {"a",    "{", "}", "[",    "]",
                                                    "\\\"", ",", " ", "\\\\", "}, \\n {"};
    std::string json = "\"";
    for (std::size_t i = Choose(6); i > 0; i--) json += kParts[Choose(kParts.size())];
    return json + "\"";
  }

  std::string Value(int depth) {
    switch (depth > 4 ? 0 : Choose(5)) {
      case 1:
        return String();
      case 2:
        return Row(depth + 1);
      case 3:
        return Array(depth + 1);
      default:
        return "1";
    }
  }

  std::string Array(int depth) {
    std::string json = "[";
    const std::size_t elements = Choose(4);
    for (std::size_t i = 0; i < elements; i++) {
      if (i > 0) json += Separator();
      json += Value(depth);
    }
    return json + "]";
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  if (CountRows(raw) > size) std::abort();
  Writer writer(data, size);
  const char* const separator = kSeparators[writer.Choose(2)];
  const std::size_t rows = writer.Choose(8);
  std::string json = "[";
  for (std::size_t i = 0; i < rows; i++) {
    if (i > 0) json += separator;
    json += writer.Row(0);
  }
  json += "]";
  if (CountRows(json) != rows) std::abort();
  return 0;
}
