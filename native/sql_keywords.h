// The SQL keywords that a value of several words must not contain (specification 7.2). Data only. Lower case and
// sorted, because the screen uses a binary search.
#pragma once

#include <array>
#include <string_view>

namespace sql_rest {

inline constexpr std::array<std::string_view, 58> kSqlKeywords = {
    "all",    "alter",     "and",    "any",     "as",        "between", "by",       "call",
    "case",   "cast",      "copy",   "create",  "database",  "delete",  "distinct", "do",
    "drop",   "except",    "exec",   "execute", "exists",    "fetch",   "from",     "grant",
    "group",  "having",    "ilike",  "insert",  "intersect", "into",    "join",     "lateral",
    "like",   "limit",     "not",    "null",    "offset",    "only",    "or",       "order",
    "over",   "returning", "revoke", "schema",  "select",    "set",     "similar",  "table",
    "then",   "truncate",  "union",  "update",  "using",     "values",  "when",     "where",
    "window", "with",
};

}  // namespace sql_rest
