// What a result of libpq holds, as values for JavaScript: rows, the fields of an error, the description of a statement.
#pragma once

#include <napi.h>

#include <cstddef>

#include "libpq.h"

namespace sql_rest {

// Cell returns the text of a cell, null for an SQL NULL.
Napi::Value Cell(Napi::Env env, const pg_result* result, int row, int column);

// SetRows sets columns and rows, or tooLarge when the cells have more bytes than the limit.
void SetRows(Napi::Env env, Napi::Object outcome, const pg_result* result, std::size_t limit);

// Failure returns the fields of an error.
Napi::Object Failure(Napi::Env env, const pg_result* result);

// Description returns the types of the parameters and the columns of a statement that was described.
Napi::Object Description(Napi::Env env, const pg_result* result);

}  // namespace sql_rest
