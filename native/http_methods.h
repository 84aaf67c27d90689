// The methods that a handler's name can begin with: those that are registered with IANA, without the ones that no symbol
// can be named after (they have a hyphen) and without PRI, which no request has. Front ends know them from here too
// (addon.cc). Data only.
#pragma once

#include <string_view>

namespace sql_rest {

inline constexpr std::string_view kHttpMethods[] = {
    "ACL",
    "BIND",
    "CHECKIN",
    "CHECKOUT",
    "CONNECT",
    "COPY",
    "DELETE",
    "GET",
    "HEAD",
    "LABEL",
    "LINK",
    "LOCK",
    "MERGE",
    "MKACTIVITY",
    "MKCALENDAR",
    "MKCOL",
    "MKREDIRECTREF",
    "MKWORKSPACE",
    "MOVE",
    "OPTIONS",
    "ORDERPATCH",
    "PATCH",
    "POST",
    "PROPFIND",
    "PROPPATCH",
    "PUT",
    "QUERY",
    "REBIND",
    "REPORT",
    "SEARCH",
    "TRACE",
    "UNBIND",
    "UNCHECKOUT",
    "UNLINK",
    "UNLOCK",
    "UPDATE",
    "UPDATEREDIRECTREF",
};

}  // namespace sql_rest
