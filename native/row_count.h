// The number of rows in the JSON that PostgreSQL made of them. Plain C++, no N-API.
#pragma once

#include <cstddef>
#include <string_view>

namespace sql_rest {

// CountRows returns the number of elements of an array, 1 for other JSON, and 0 for an empty text. In the output of json_agg
// it looks for braces alone, unless a row contains an array of objects; any other array is scanned byte by byte.
std::size_t CountRows(std::string_view json) noexcept;

}  // namespace sql_rest
