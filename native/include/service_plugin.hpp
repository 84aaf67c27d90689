// service_plugin.hpp: a thin layer of C++17 over service_plugin.h, which has the rules. It shows what a handler is given
// as string_views and ranges, and keeps what it returns. It refuses nothing by itself but text with a NUL in it, which a
// C string cannot hold: that becomes the error 502.
//
// An exception that leaves a handler is the caller's error 502 and harms nobody else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service_plugin.h"

// Hidden, so that each library has its own of everything here, whichever compiler made the others.
#pragma GCC visibility push(hidden)

namespace service {

// view shows a text, which is valid until the handler returns.
inline std::string_view view(service_text text) { return {text.data, text.length}; }

// A range goes over an array of the service's, each item shown as Show does it.
template <typename Item, auto Show>
class range {
 public:
  class iterator {
   public:
    explicit iterator(const Item* at) : at_(at) {}
    auto operator*() const { return Show(*at_); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    const Item* at_;
  };

  range(const Item* items, std::size_t count) : items_(items), count_(count) {}
  iterator begin() const { return iterator(items_); }
  iterator end() const { return iterator(items_ + count_); }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  auto operator[](std::size_t i) const { return Show(items_[i]); }

 private:
  const Item* items_;
  std::size_t count_;
};

// Texts by position: the values of a parameter.
using texts = range<service_text, &view>;

inline std::pair<std::string_view, std::string_view> show_variable(const service_variable& one) {
  return {view(one.name), view(one.value)};
}
inline std::pair<std::string_view, texts> show_parameter(const service_parameter& one) {
  return {view(one.name), texts(one.values, one.count)};
}

// Names with their values: route variables, headers. Parameters: names with all their values.
using variables = range<service_variable, &show_variable>;
using parameters = range<service_parameter, &show_parameter>;

// http_vars are the route variables of the request that this thread is at.
inline variables http_vars() { return {HTTPVars.items, HTTPVars.count}; }

// url_query are its query parameters, in order of first appearance.
inline parameters url_query() { return {URLQuery.items, URLQuery.count}; }

// param is the first value of a query parameter, none when it was not sent.
inline std::optional<std::string_view> param(std::string_view name) {
  for (const auto [other, values] : url_query())
    if (other == name) return values[0];
  return std::nullopt;
}

// text is what a handler of the first form returns: the body, kept by this thread until its next one.
inline const char* text(std::string body) {
  static thread_local std::string kept;
  kept = std::move(body);
  return kept.find('\0') == std::string::npos ? kept.c_str() : nullptr;
}

// answer is what a handler of the second form returns.
inline service_answer answer(std::string body, int status) {
  return {text(std::move(body)), status};
}

// A request of the third form.
class request {
 public:
  explicit request(const service_request* given) : given_(*given) {}

  std::string_view method() const { return view(given_.method); }
  // As sent.
  std::string_view path() const { return view(given_.path); }
  std::string_view query() const { return view(given_.query); }
  // The answer's X-Request-Id.
  std::string_view id() const { return view(given_.request_id); }
  // The caller's name and claims (JSON); empty when nobody is known.
  std::string_view user() const { return view(given_.user); }
  std::string_view claims() const { return view(given_.claims); }
  // Names are in lower case.
  variables headers() const { return {given_.headers, given_.header_count}; }
  // Any bytes.
  std::string_view body() const {
    return {reinterpret_cast<const char*>(given_.body), given_.body_length};
  }

  // header is the value of the first header of a name, none when there is none.
  std::optional<std::string_view> header(std::string_view name) const {
    for (const auto [other, value] : headers())
      if (other == name) return value;
    return std::nullopt;
  }

 private:
  const service_request& given_;
};

// A response of the third form. What is refused gives false, and the answer is the error 502 then.
class response {
 public:
  explicit response(service_response* wanted) : wanted_(wanted) {}

  bool status(int status) { return service_set_status(wanted_, status) == 1; }
  bool header(const std::string& name, std::string_view value) {
    const std::string copy(value);
    const bool whole = (name + copy).find('\0') == std::string::npos;
    return service_add_header(wanted_, whole ? name.c_str() : "", copy.c_str()) == 1;
  }
  bool write(std::string_view bytes) {
    return service_write(wanted_, bytes.data(), bytes.size()) == 1;
  }

 private:
  service_response* wanted_;
};

}  // namespace service

#pragma GCC visibility pop
