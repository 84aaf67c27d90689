// libFuzzer target: both overloads of the screen agree with a slow reference written from the specification, and
// accepted values contain no keyword in any version of PostgreSQL.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../value_screen.h"
#include "value_screen_reference.h"

namespace {

using sql_rest_test::Reference;

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::u16string widened(data, data + size);
  const bool accepted = sql_rest::Accepts(bytes);
  Check(accepted == Reference(bytes));
  if (accepted && bytes.find(' ') != std::string::npos) Check(!sql_rest_test::ShowsKeyword(bytes));
  Check(accepted == sql_rest::Accepts(widened));
  // The addon rejects a long value when HasOnlyAllowed rejects a prefix.
  if (accepted) Check(sql_rest::HasOnlyAllowed(widened.substr(0, size / 2)));
  // The same bytes as UTF-16: a unit beyond ASCII is rejected, whatever its low byte is.
  std::u16string units(size / 2, u'\0');
  if (!units.empty()) std::memcpy(units.data(), data, units.size() * 2);
  bool ascii = true;
  for (const char16_t unit : units) ascii = ascii && unit < 0x80;
  if (!ascii) {
    Check(!sql_rest::Accepts(units));
  } else {
    Check(sql_rest::Accepts(units) == Reference(std::string(units.begin(), units.end())));
  }
  return 0;
}
