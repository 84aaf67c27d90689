// The value screen: decides whether a value may be written into SQL text as it is. Plain C++17, no N-API.
#pragma once

#include <string_view>

namespace sql_rest {

// Accepts returns whether a value may be interpolated into SQL text (specification 7.2): only ASCII letters and digits,
// `_ . : @ / \ -` and space, neither `--` nor `::`, and, when it has a space, no SQL keyword among its words, also
// behind a number that a word begins with. The empty value is accepted. Never allocates; time is linear in the length.
// The first overload takes UTF-16 units, the second bytes of ASCII, Latin-1 or UTF-8: everything beyond ASCII is
// rejected.
bool Accepts(std::u16string_view value) noexcept;
bool Accepts(std::string_view value) noexcept;

// HasOnlyAllowed checks the characters only: when it rejects a prefix of a value, Accepts rejects the value.
bool HasOnlyAllowed(std::u16string_view value) noexcept;

}  // namespace sql_rest
