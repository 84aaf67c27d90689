// Tests the input of handlers, and valid and invalid responses. The argument is the folder of the libraries.
#include "../plugin_call.h"

#include <pthread.h>

#include <string>
#include <thread>
#include <vector>

#include "expect.h"
#include "plugins.h"

namespace {

using sql_rest::PluginFailure;
using sql_rest::PluginLibrary;
using sql_rest::PluginResult;
using sql_rest_test::Call;
using sql_rest_test::Expect;
using sql_rest_test::ExpectText;

void ExpectFailure(PluginFailure failure, const std::string& message, const PluginResult& result,
                   const std::string& what) {
  Expect(result.failure == failure,
         what + " fails with " + std::to_string(static_cast<int>(result.failure)));
  ExpectText(message, result.body, what);
}

void ExpectInvalid(const std::string& message, const PluginResult& result,
                   const std::string& what) {
  ExpectFailure(PluginFailure::kResponseInvalid, "the plugin's answer " + message, result, what);
}

void ExpectBody(const std::string& body, const PluginResult& result, const std::string& what) {
  Expect(result.failure == PluginFailure::kNone, what + " has a response");
  ExpectText(body, result.body, what);
}

void ExpectEmptied(const PluginLibrary& library, const std::string& what) {
  Expect(library.http_vars()->count == 0 && library.http_vars()->items == nullptr &&
             library.url_query()->count == 0 && library.url_query()->items == nullptr,
         "the variables are empty after " + what);
}

void TestVariables(const PluginLibrary& library) {
  const std::string route = "file=forms;func=Echo;";
  ExpectBody(route, Call(library, {"GET", "Echo"}), "no query string");
  ExpectBody(route + "a=1|2;b=;", Call(library, {"GET", "Echo", "a=1&b&a=2"}), "two parameters");
  ExpectBody(route + "=x;\xC3\xA9=a b;", Call(library, {"GET", "Echo", "=x&%C3%A9=a+b"}), "names");
  ExpectBody(route, Call(library, {"GET", "Echo"}), "nothing is left of the call before");
  ExpectFailure(PluginFailure::kInvalidQueryString, "invalid query string",
                Call(library, {"GET", "Echo", "a=%"}), "an invalid escape");
  ExpectEmptied(library, "a call");
  ExpectBody("\"posted\"", Call(library, {"POST", "Echo"}), "another method");
}

void TestTexts(const PluginLibrary& library) {
  ExpectInvalid("is NULL", Call(library, {"GET", "Null"}), "NULL");
  ExpectInvalid("is NULL", Call(library, {"GET", "NullStatus"}), "NULL with a status");
  ExpectInvalid("is not UTF-8", Call(library, {"GET", "Latin"}), "Latin-1");
  ExpectInvalid("is not UTF-8", Call(library, {"GET", "Surrogate"}), "a surrogate");
  ExpectBody("\xC3\xA9\xF0\x9F\x98\x80", Call(library, {"GET", "Unicode"}), "UTF-8");
  ExpectBody("", Call(library, {"GET", "Empty"}), "an empty string");
  ExpectBody(std::string(1024, 'x'), Call(library, {"GET", "Long", "n=1024"}), "the largest body");
  const std::string large = "the plugin's answer is larger than 1024 bytes";
  for (const char* query : {"n=1025", "n=4000"})
    ExpectFailure(PluginFailure::kResponseTooLarge, large, Call(library, {"GET", "Long", query}),
                  query);
  // Exactly n bytes are allocated: reading further is an error of AddressSanitizer.
  ExpectFailure(PluginFailure::kResponseTooLarge, large,
                Call(library, {"GET", "Endless", "n=1025"}), "a string without a NUL");
}

// Each returned string is released once, also after a failure; NULL is not.
void TestRelease(const PluginLibrary& library) {
  const long before = std::stol(Call(library, {"GET", "Released"}).body);
  Call(library, {"GET", "Empty"});
  Call(library, {"GET", "Null"});
  Call(library, {"GET", "Latin"});
  Call(library, {"GET", "Long", "n=2000"});
  Call(library, {"GET", "Status", "status=999"});
  Call(library, {"GET", "Odd", "case=1"});
  ExpectText(std::to_string(before + 5), Call(library, {"GET", "Released"}).body, "released");
}

void TestStatuses(const PluginLibrary& library) {
  for (const int status : {200, 201, 204, 302, 404, 500, 599}) {
    const std::string query = "status=" + std::to_string(status);
    const PluginResult result = Call(library, {"GET", "Status", query});
    ExpectBody("\"status\"", result, query);
    Expect(result.status == status, query + " is kept");
  }
  for (const char* query : {"status=100", "status=101", "status=199"})
    Expect(Call(library, {"GET", "Status", query}).status == 200, "an interim status is 200");
  for (const std::string status : {"99", "600", "0", "-1", "2147483647", "65736"})
    ExpectInvalid("has the status " + status + ", which is none of 100 to 599",
                  Call(library, {"GET", "Status", "status=" + status}), status);
}

void TestRequest(const PluginLibrary& library) {
  const PluginResult result =
      Call(library, {"POST", "Request", "a=1&b", "x-one\n1\naccept\n\nx-one\n2", {"\0\xFF", 2}});
  ExpectBody(
      "POST\n/_PLUGIN/a/b\na=1&b\nid-1\nann\n{\"sub\":\"ann\"}\nx-one: 1\naccept: \nx-one: 2\n" +
          std::string("\0\xFF", 2),
      result, "a request");
  Expect(result.status == 201, "a response's status");
  Expect(result.has_content_type, "a response's type");
  ExpectText("\r\nContent-Type: text/plain\r\nX-Found: 1", result.head, "a response's headers");
  // Without headers, X-Found is NULL.
  ExpectInvalid("has a header that is NULL", Call(library, {"POST", "Request"}), "no headers");
}

PluginResult Header(const PluginLibrary& library, const std::string& name,
                    const std::string& value) {
  const std::string query = "name=" + name + "&value=" + value;
  return Call(library, {"GET", "Header", query});
}

void TestHeaders(const PluginLibrary& library) {
  for (const char* name : {"", "X%20A", "X:", "X-A%0D%0AX-B", "X%0A", "%09X", "X-%C3%A9", "X%7F",
                           "(a)", "X%2CY", "X%22", "X%2FY"})
    ExpectInvalid("has a header whose name is no token", Header(library, name, "a"), name);
  for (const char* value : {"a%0D%0AX-B:%20c", "a%0Ab", "a%0Db", "%01", "a%1Bb", "%7F", "%08"})
    ExpectInvalid("has a header x-a whose value is no text", Header(library, "X-A", value), value);
  for (const char* name : {"Content-Length", "content-length", "CONTENT-LENGTH",
                           "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
                           "TE", "Trailer", "Upgrade", "X-Request-Id", "x-content-type-options"}) {
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    ExpectInvalid("sets the header " + lower + ", which is the service's own",
                  Header(library, name, "1"), name);
  }
  ExpectInvalid("has an empty or a second content-type", Header(library, "content-type", ""),
                "an empty type");
  ExpectText("\r\nX-A: ", Header(library, "X-A", "").head, "an empty value");
  ExpectText("\r\nX!#$%&'*+-.^_`|~9: \xC3\xA9\t(\"a\")",
             Header(library, "X!%23$%25%26'*%2B-.^_`|~9", "%C3%A9%09(\"a\")").head,
             "unusual but valid");
  const PluginResult typed = Header(library, "CONTENT-type", "image/png");
  Expect(typed.has_content_type && typed.failure == PluginFailure::kNone, "a type in any case");
  Expect(!Header(library, "X-A", "b").has_content_type, "another header is no type");
}

PluginResult Odd(const PluginLibrary& library, int number) {
  const std::string query = "case=" + std::to_string(number);
  return Call(library, {"GET", "Odd", query});
}

void TestResponses(const PluginLibrary& library) {
  const PluginResult nothing = Odd(library, 0);
  ExpectBody("", nothing, "no call");
  Expect(nothing.status == 200 && !nothing.has_content_type && nothing.head.empty(),
         "the head without a call");
  ExpectBody(std::string("a\0\xFF\x01", 4), Odd(library, 1), "any bytes");
  ExpectInvalid("has a header that is NULL", Odd(library, 2), "a name that is NULL");
  ExpectInvalid("has a header that is NULL", Odd(library, 3), "a value that is NULL");
  ExpectInvalid("has a body that is NULL", Odd(library, 4), "a body that is NULL");
  ExpectBody("", Odd(library, 5), "nothing written");
  for (const int number : {6, 7})
    ExpectFailure(PluginFailure::kResponseTooLarge, "the plugin's answer is larger than 1024 bytes",
                  Odd(library, number), "too much written");
  Expect(Odd(library, 8).body.size() == 1024, "as much as the limit");
  for (const int number : {9, 10, 11})
    ExpectInvalid("has more than 64 KiB of headers", Odd(library, number), "many headers");
  ExpectInvalid("has the status 600, which is none of 100 to 599", Odd(library, 12),
                "a rejection is final");
  Expect(Odd(library, 13).status == 200, "the last status counts");
  ExpectInvalid("has an empty or a second content-type", Odd(library, 14), "two types");
  ExpectText("\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2", Odd(library, 15).head,
             "two headers of one name");
}

void TestExceptions(const PluginLibrary& library) {
  const std::string message = "the plugin's function threw an exception";
  const struct {
    const char* function;
    std::string detail;
  } cases[] = {{"Standard", "out of cheese"},
               {"Number", "an exception that is no std::exception"},
               {"Long", std::string(1000, 'w')},
               {"Status", "status"},
               {"Response", "response"}};
  for (const auto& [function, detail] : cases) {
    const PluginResult result = Call(library, {"GET", function, "a=1"});
    ExpectFailure(PluginFailure::kCrashed, message, result, function);
    ExpectText(detail, result.head, function);
    ExpectEmptied(library, function);
  }
  ExpectBody("\"fine\"", Call(library, {"GET", "Count"}), "the call after exceptions");
}

// pthread_exit unwinds the stack through the call, which empties the variables and does not return.
void TestEndedThread(const PluginLibrary& library) {
  struct Observed {
    const PluginLibrary& library;
    bool returned = false;
    bool unwound = false;
    std::size_t left = 1;
  } observed{library};
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    auto* const to = static_cast<Observed*>(argument);
    struct Guard {
      Observed* to;
      ~Guard() {
        to->unwound = true;
        to->left = to->library.http_vars()->count;
      }
    } guard{to};
    Call(to->library, {"GET", "Exit"});
    to->returned = true;
    return nullptr;
  };
  Expect(pthread_create(&thread, nullptr, run, &observed) == 0, "a thread is made");
  pthread_join(thread, nullptr);
  Expect(observed.unwound && !observed.returned, "the thread ends");
  Expect(observed.left == 0, "its variables are empty");
  ExpectBody("\"fine\"", Call(library, {"GET", "Count"}), "another thread continues");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_call_test FOLDER\n");
    return 99;
  }
  const std::string folder = argv[1];
  const auto forms = sql_rest_test::Load(folder + "/forms.so", "forms");
  TestVariables(*forms);
  TestTexts(*forms);
  TestRelease(*forms);
  TestStatuses(*forms);
  TestRequest(*forms);
  TestHeaders(*forms);
  TestResponses(*forms);
  const auto throws = sql_rest_test::Load(folder + "/throws.so", "throws");
  TestExceptions(*throws);
  TestEndedThread(*throws);
  return sql_rest_test::Finish("plugin calls");
}
