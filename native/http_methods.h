// The methods that a handler's name can begin with: those that are registered with IANA, without the ones that no symbol
// can be named after (they have a hyphen) and without PRI, which no request has. Data only.
#pragma once

#include <array>
#include <string_view>

namespace sql_rest {

inline constexpr std::array<std::string_view, 37> kHttpMethods = {
    "ACL",       "BIND",       "CHECKIN",    "CHECKOUT", "CONNECT",       "COPY",
    "DELETE",    "GET",        "HEAD",       "LABEL",    "LINK",          "LOCK",
    "MERGE",     "MKACTIVITY", "MKCALENDAR", "MKCOL",    "MKREDIRECTREF", "MKWORKSPACE",
    "MOVE",      "OPTIONS",    "ORDERPATCH", "PATCH",    "POST",          "PROPFIND",
    "PROPPATCH", "PUT",        "QUERY",      "REBIND",   "REPORT",        "SEARCH",
    "TRACE",     "UNBIND",     "UNCHECKOUT", "UNLINK",   "UNLOCK",        "UPDATE",
};

}  // namespace sql_rest
