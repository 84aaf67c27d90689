// The dynamic symbols that a shared library defines, read from its file without loading it. The bytes are untrusted:
// nothing is read out of bounds, and a malformed file is rejected. Plain C++, no N-API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sql_rest {

struct ElfSymbol {
  std::string_view name;
  enum class Kind { kFunction, kData, kOther } kind = Kind::kOther;
  // The initial value of a 4-byte object.
  std::optional<std::uint32_t> number;
};

// ReadElfSymbols lists the global and weak symbols with names of up to 255 bytes; the names point into `bytes`. Returns
// false, with the problem, when the bytes are not a complete shared library.
bool ReadElfSymbols(std::string_view bytes, std::vector<ElfSymbol>* symbols, std::string* problem);

}  // namespace sql_rest
