// service_plugin.hpp: a thin C++17 layer over service_plugin.h, which documents the rules. It presents requests as
// string_views and ranges, and stores returned text. Text with a NUL, which a C string cannot hold, is answered with
// 502.  An exception that leaves a handler is answered with 502; other calls are not affected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service_plugin.h"

// Hidden, so that libraries made by different compilers do not share these symbols.
#pragma GCC visibility push(hidden)

namespace service {

// The view is valid until the handler returns.
inline std::string_view view(service_text text) { return {text.data, text.length}; }

// A range over an array of the service; Show converts each item.
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

// The values of a parameter.
using texts = range<service_text, &view>;

inline std::pair<std::string_view, std::string_view> show_variable(const service_variable& item) {
  return {view(item.name), view(item.value)};
}
inline std::pair<std::string_view, texts> show_parameter(const service_parameter& item) {
  return {view(item.name), texts(item.values, item.count)};
}

// Names with their values: route variables and headers; query parameters with all their values.
using variables = range<service_variable, &show_variable>;
using parameters = range<service_parameter, &show_parameter>;

// http_vars returns the route variables of this thread's request.
inline variables http_vars() { return {HTTPVars.items, HTTPVars.count}; }

// url_query returns the query parameters of this thread's request, in order of first appearance.
inline parameters url_query() { return {URLQuery.items, URLQuery.count}; }

// param returns the first value of a query parameter, nullopt when it was not sent.
inline std::optional<std::string_view> param(std::string_view name) {
  for (const auto [other, values] : url_query())
    if (other == name) return values[0];
  return std::nullopt;
}

// text makes the result of a handler of the string form. The thread keeps the body until its next call of text.
inline const char* text(std::string body) {
  static thread_local std::string kept;
  kept = std::move(body);
  return kept.find('\0') == std::string::npos ? kept.c_str() : nullptr;
}

// answer makes the result of a handler of the status form.
inline service_answer answer(std::string body, int status) {
  return {text(std::move(body)), status};
}

// The request of a handler of the response form.
class request {
 public:
  explicit request(const service_request* raw) : request_(*raw) {}

  std::string_view method() const { return view(request_.method); }
  // As sent.
  std::string_view path() const { return view(request_.path); }
  std::string_view query() const { return view(request_.query); }
  // X-Request-Id of the response.
  std::string_view id() const { return view(request_.request_id); }
  // The caller's name and claims (JSON); empty for an anonymous request.
  std::string_view user() const { return view(request_.user); }
  std::string_view claims() const { return view(request_.claims); }
  // Names are in lower case.
  variables headers() const { return {request_.headers, request_.header_count}; }
  // Any bytes.
  std::string_view body() const {
    return {reinterpret_cast<const char*>(request_.body), request_.body_length};
  }

  // header returns the value of the first header with that name (lower case), or nullopt.
  std::optional<std::string_view> header(std::string_view name) const {
    for (const auto [other, value] : headers())
      if (other == name) return value;
    return std::nullopt;
  }

 private:
  const service_request& request_;
};

// The response of a handler of the response form. Methods return false when they reject an argument; the response is
// then 502.
class response {
 public:
  explicit response(service_response* raw) : response_(raw) {}

  bool status(int status) { return service_set_status(response_, status) == 1; }
  bool header(const std::string& name, std::string_view value) {
    const std::string copy(value);
    // With a NUL, an empty name instead, which is rejected.
    const bool valid = (name + copy).find('\0') == std::string::npos;
    return service_add_header(response_, valid ? name.c_str() : "", copy.c_str()) == 1;
  }
  bool write(std::string_view bytes) {
    return service_write(response_, bytes.data(), bytes.size()) == 1;
  }

 private:
  service_response* response_;
};

}  // namespace service

#pragma GCC visibility pop
