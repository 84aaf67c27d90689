// The dynamic symbols that a shared library defines, read from what its file holds without loading it. The bytes are
// not trusted: nothing is read beyond them, and what makes no sense is no library. Plain C++, no N-API.
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
  // Of data that has the size of a number of 32 bits, what it holds before the library runs.
  std::optional<std::uint32_t> number;
};

// ReadElfSymbols lists the global and weak symbols, of names up to 255 bytes; the names lie in `bytes`. Returns false
// and why, when the bytes are no shared library or only a part of one.
bool ReadElfSymbols(std::string_view bytes, std::vector<ElfSymbol>* symbols, std::string* problem);

}  // namespace sql_rest
