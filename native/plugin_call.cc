#include "plugin_call.h"

#include <cxxabi.h>

#include <array>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "plugin_response.h"
#include "query_string.h"
#include "utf8.h"

namespace sql_rest {

namespace {

// Most logged bytes of an exception's what().
constexpr std::size_t kMaxWhat = 1000;

service_text Text(std::string_view text) noexcept {
  return {text.data() == nullptr ? "" : text.data(), text.size()};
}

service_text Text(const std::string& text) noexcept { return {text.c_str(), text.size()}; }

// PluginQuery is the query string in the structs of service_plugin.h.
class PluginQuery {
 public:
  bool Parse(std::string_view raw, std::string* message) {
    if (raw.empty()) return true;
    if (!ParseQueryString(raw, &decoded_, message)) return false;
    std::size_t count = 0;
    for (const QueryParameter& parameter : decoded_) count += parameter.values.size();
    // Reserved, because the parameters point into it.
    values_.reserve(count);
    parameters_.reserve(decoded_.size());
    for (const QueryParameter& parameter : decoded_) {
      const service_text* first = values_.data() + values_.size();
      for (const std::string& value : parameter.values) values_.push_back(Text(value));
      parameters_.push_back({Text(parameter.name), first, parameter.values.size()});
    }
    return true;
  }

  const std::vector<service_parameter>& parameters() const noexcept { return parameters_; }

 private:
  std::vector<QueryParameter> decoded_;
  std::vector<service_text> values_;
  std::vector<service_parameter> parameters_;
};

// FilledVariables fills the library's variables of this thread from a call, and empties them when the call ends, so
// that they never point to freed memory.
class FilledVariables {
 public:
  FilledVariables(const PluginLibrary& library, const PluginCall& call, const PluginQuery& query)
      : route_{{{Text(std::string_view("file")), Text(call.library)},
                {Text(std::string_view("func")), Text(call.function)}}},
        vars_(library.http_vars()),
        query_(library.url_query()) {
    if (!usable()) return;
    vars_->items = route_.data();
    vars_->count = route_.size();
    const auto& parameters = query.parameters();
    query_->items = parameters.empty() ? nullptr : parameters.data();
    query_->count = parameters.size();
  }

  ~FilledVariables() {
    if (!usable()) return;
    vars_->items = nullptr;
    vars_->count = 0;
    query_->items = nullptr;
    query_->count = 0;
  }

  FilledVariables(const FilledVariables&) = delete;
  FilledVariables& operator=(const FilledVariables&) = delete;

  bool usable() const noexcept { return vars_ != nullptr && query_ != nullptr; }

 private:
  const std::array<service_variable, 2> route_;
  service_http_vars* const vars_;
  service_url_query* const query_;
};

// RequestHeaders are the headers of a call in the structs of service_plugin.h.
class RequestHeaders {
 public:
  explicit RequestHeaders(std::string_view packed) : text_(packed) {
    for (std::size_t at = 0; at < text_.size();) {
      const service_text name = Next(&at);
      const service_text value = Next(&at);
      items_.push_back({name, value});
    }
  }

  const std::vector<service_variable>& items() const noexcept { return items_; }

 private:
  // Next returns the text up to the next line break, which it replaces with NUL.
  service_text Next(std::size_t* at) {
    const std::size_t start = *at < text_.size() ? *at : text_.size();
    std::size_t end = text_.find('\n', start);
    if (end == std::string::npos) {
      end = text_.size();
    } else {
      text_[end] = '\0';
    }
    *at = end + 1;
    return {text_.c_str() + start, end - start};
  }

  std::string text_;
  std::vector<service_variable> items_;
};

void Invalid(const char* message, PluginResult* result) {
  result->Fail(PluginFailure::kResponseInvalid, message);
}

// TakeText copies a returned string into the result. Never reads more than one byte beyond the limit.
void TakeText(const char* body, std::size_t max_response, PluginResult* result) {
  const std::size_t length = ::strnlen(body, max_response + 1);
  if (length > max_response) {
    FailTooLarge(max_response, result);
  } else if (!IsUtf8({body, length})) {
    Invalid("the plugin's answer is not UTF-8", result);
  } else {
    result->body.assign(body, length);
  }
}

void TakeBody(const PluginLibrary& library, const char* body, int status, std::size_t max_response,
              PluginResult* result) {
  if (body == nullptr) return Invalid("the plugin's answer is NULL", result);
  TakeText(body, max_response, result);
  library.Release(body);
  if (result->failure == PluginFailure::kNone) SetStatus(status, result);
}

template <typename Function>
Function As(void* address) noexcept {
  Function function;
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

void Respond(void* address, const PluginCall& call, std::size_t max_response,
             PluginResult* result) {
  const RequestHeaders headers(call.headers);
  service_request request{};
  request.size = sizeof(request);
  request.method = Text(call.method);
  request.path = Text(call.path);
  request.query = Text(call.query);
  request.request_id = Text(call.request_id);
  request.user = Text(call.user);
  request.claims = Text(call.claims);
  request.headers = headers.items().data();
  request.header_count = headers.items().size();
  request.body = reinterpret_cast<const unsigned char*>(Text(call.body).data);
  request.body_length = call.body.size();
  PluginResponse response(result, max_response);
  As<void (*)(const service_request*, service_response*)>(address)(&request, &response);
}

void Run(const PluginHandler& handler, const PluginCall& call, std::size_t max_response,
         PluginResult* result) {
  PluginQuery query;
  std::string message;
  if (!query.Parse(call.query, &message))
    return result->Fail(PluginFailure::kInvalidQueryString, std::move(message));
  const PluginLibrary& library = *handler.library;
  const FilledVariables variables(library, call, query);
  if (!variables.usable())
    return Invalid("the plugin has no HTTPVars or URLQuery on this thread", result);
  switch (handler.form) {
    case PluginForm::kString:
      return TakeBody(library, As<const char* (*)()>(handler.address)(), 200, max_response, result);
    case PluginForm::kStatus: {
      const service_answer returned = As<service_answer (*)()>(handler.address)();
      return TakeBody(library, returned.body, returned.status, max_response, result);
    }
    case PluginForm::kResponse:
      return Respond(handler.address, call, max_response, result);
  }
}

void Threw(const char* what, PluginResult* result) {
  result->has_content_type = false;
  result->Fail(PluginFailure::kCrashed, "the plugin's function threw an exception",
               std::string(what, ::strnlen(what, kMaxWhat)));
}

}  // namespace

// abi::__forced_unwind is caught as a null reference, which UBSan would report.
__attribute__((no_sanitize("null"))) void RunPluginCall(const PluginHandler& handler,
                                                        const PluginCall& call,
                                                        std::size_t max_response,
                                                        PluginResult* result) {
  try {
    Run(handler, call, max_response, result);
  } catch (abi::__forced_unwind&) {
    // pthread_exit: the runtime aborts the process when this is not rethrown.
    throw;
  } catch (const std::exception& exception) {
    Threw(exception.what(), result);
  } catch (...) {
    Threw("an exception that is no std::exception", result);
  }
}

}  // namespace sql_rest
