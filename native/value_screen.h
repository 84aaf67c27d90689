// The value screen: decides whether a value may be written into SQL text as it is. Plain C++17, no N-API.
#pragma once

#include <string_view>

namespace sql_rest {

// Accepts tells whether a value may be interpolated into SQL text (specification 7.2): only ASCII letters and digits,
// `_ . : @ / \ -` and space, neither `--` nor `::`, and, when it has a space, no SQL keyword among its words. The empty
// value is accepted. Never allocates; time is linear in the length.
// The first form takes UTF-16 units, the second bytes of ASCII, Latin-1 or UTF-8: everything beyond ASCII is refused.
bool Accepts(std::u16string_view value) noexcept;
bool Accepts(std::string_view value) noexcept;

// HasOnlyAllowed checks the characters alone: what refuses a prefix of a value refuses the value.
bool HasOnlyAllowed(std::u16string_view value) noexcept;

}  // namespace sql_rest
