// UTF-8 validation. Plain C++, no N-API.
#pragma once

#include <string_view>

namespace sql_rest {

// IsUtf8 returns whether bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool IsUtf8(std::string_view bytes) noexcept;

}  // namespace sql_rest
