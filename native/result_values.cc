#include "result_values.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace sql_rest {
namespace {

// V8's longest string.
constexpr std::size_t kMaxString = 0x1fffffe8;

// The fields read from an error, by their codes in PostgreSQL's protocol. V is the severity that is never translated.
constexpr struct {
  int code;
  const char* name;
} kFields[] = {
    {'V', "severity"}, {'C', "sqlState"},          {'M', "message"},    {'D', "detail"},
    {'H', "hint"},     {'P', "statementPosition"}, {'s', "schema"},     {'t', "table"},
    {'c', "column"},   {'n', "constraint"},        {'F', "sourceFile"}, {'R', "routine"},
};

// ParameterOf returns the number of the bound value that PostgreSQL names in the last line of a CONTEXT, which describes
// the message being processed: `unnamed portal parameter $1`, in any language, possibly with the value after it. 0 for
// none. In the line of a function, `$1` is quoted or part of a name.
int ParameterOf(const char* context) {
  const char* line = std::strrchr(context, '\n');
  line = line == nullptr ? context : line + 1;
  const char* const sign = std::strchr(line, '$');
  if (sign == nullptr || sign == line) return 0;
  if (line + std::strcspn(line, "\"'(:=") < sign) return 0;
  const auto before = static_cast<unsigned char>(sign[-1]);
  if (before != ' ' && before < 0x80) return 0;
  return std::atoi(sign + 1);
}

}  // namespace

Napi::Object Failure(Napi::Env env, const pg_result* result) {
  const Libpq& pq = Libpq::Get();
  Napi::Object failure = Napi::Object::New(env);
  for (const auto& field : kFields) {
    if (const char* text = pq.result_error_field(result, field.code); text != nullptr) {
      failure.Set(field.name, text);
    }
  }
  // Without its text, which may contain statements and values.
  if (const char* context = pq.result_error_field(result, 'W'); context != nullptr) {
    failure.Set("context", true);
    if (const int number = ParameterOf(context); number > 0) failure.Set("parameter", number);
  }
  if (pq.result_error_field(result, 'C') == nullptr) {
    failure.Set("message", pq.result_error_message(result));
  }
  return failure;
}

Napi::Value Cell(Napi::Env env, const pg_result* result, int row, int column) {
  const Libpq& pq = Libpq::Get();
  if (pq.getisnull(result, row, column) != 0) return env.Null();
  return Napi::String::New(env, pq.getvalue(result, row, column),
                           static_cast<std::size_t>(pq.getlength(result, row, column)));
}

void SetRows(Napi::Env env, Napi::Object outcome, const pg_result* result, std::size_t limit) {
  const Libpq& pq = Libpq::Get();
  const int width = pq.nfields(result);
  const int height = pq.ntuples(result);
  std::size_t size = 0;
  for (int r = 0; r < height; r++) {
    for (int c = 0; c < width; c++) size += static_cast<std::size_t>(pq.getlength(result, r, c));
  }
  if (size > std::min(limit, kMaxString)) {
    outcome.Set("tooLarge", true);
    return;
  }
  Napi::Array columns = Napi::Array::New(env, static_cast<std::size_t>(width));
  for (int c = 0; c < width; c++) {
    const Napi::Object column = Napi::Object::New(env);
    column.Set("name", pq.fname(result, c));
    column.Set("type", Napi::Number::New(env, pq.ftype(result, c)));
    columns[static_cast<std::uint32_t>(c)] = column;
  }
  Napi::Array rows = Napi::Array::New(env, static_cast<std::size_t>(height));
  for (int r = 0; r < height; r++) {
    const Napi::HandleScope scope(env);
    Napi::Array row = Napi::Array::New(env, static_cast<std::size_t>(width));
    for (int c = 0; c < width; c++) row[static_cast<std::uint32_t>(c)] = Cell(env, result, r, c);
    rows[static_cast<std::uint32_t>(r)] = row;
  }
  outcome.Set("columns", columns);
  outcome.Set("rows", rows);
  outcome.Set("bytes", Napi::Number::New(env, static_cast<double>(size)));
}

Napi::Object Description(Napi::Env env, const pg_result* result) {
  const Libpq& pq = Libpq::Get();
  const int count = pq.nparams(result);
  Napi::Array parameters = Napi::Array::New(env, static_cast<std::size_t>(count));
  for (int p = 0; p < count; p++) {
    const Napi::HandleScope scope(env);
    parameters[static_cast<std::uint32_t>(p)] = Napi::Number::New(env, pq.paramtype(result, p));
  }
  const int width = pq.nfields(result);
  Napi::Array columns = Napi::Array::New(env, static_cast<std::size_t>(width));
  for (int c = 0; c < width; c++) {
    const Napi::HandleScope scope(env);
    Napi::Object column = Napi::Object::New(env);
    column.Set("name", pq.fname(result, c));
    column.Set("type", Napi::Number::New(env, pq.ftype(result, c)));
    column.Set("modifier", Napi::Number::New(env, pq.fmod(result, c)));
    column.Set("table", Napi::Number::New(env, pq.ftable(result, c)));
    column.Set("attribute", Napi::Number::New(env, pq.ftablecol(result, c)));
    columns[static_cast<std::uint32_t>(c)] = column;
  }
  Napi::Object description = Napi::Object::New(env);
  description.Set("parameters", parameters);
  description.Set("columns", columns);
  return description;
}

}  // namespace sql_rest
