// The plugin hello in C++17. `make` builds hello.so; put it into the folder that pluginpath names, and request
//
//     curl 'http://127.0.0.1:3000/_PLUGIN/hello/Hello?name=Ann'
//
// The response is the result of GETHelloHandler. service_plugin.h documents the input and the duties of handlers,
// service_plugin.hpp the layer for C++.
#include "service_plugin.hpp"

SERVICE_PLUGIN

namespace {

std::string quoted(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ') {
      json += "\\u00";
      json += kDigits[byte >> 4];
      json += kDigits[byte & 15];
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json += '"';
}

// The request as JSON.
std::string echo() {
  std::string json = R"({"http_vars":{)";
  const char* comma = "";
  for (const auto [name, value] : service::http_vars()) {
    json += comma + quoted(name) + ':' + quoted(value);
    comma = ",";
  }
  json += R"(},"url_query":{)";
  comma = "";
  for (const auto [name, values] : service::url_query()) {
    json += comma + quoted(name) + ":[";
    comma = "";
    for (const auto value : values) {
      json += comma + quoted(value);
      comma = ",";
    }
    json += ']';
    comma = ",";
  }
  return json + R"(},"msg":"Hello plugin caller!"})";
}

}  // namespace

// GET /_PLUGIN/hello/Hello
SERVICE_HANDLER const char* GETHelloHandler() { return service::text(echo()); }

// GET /_PLUGIN/hello/HelloWithStatus: with a status
SERVICE_HANDLER service_answer GETHelloWithStatusHandler() { return service::answer(echo(), 202); }
SERVICE_STATUS_FORM(GETHelloWithStatusHandler)

// POST /_PLUGIN/hello/Echo: the request's body, with its content type and a header
SERVICE_HANDLER void POSTEchoHandler(const service_request* given, service_response* wanted) {
  const service::request request(given);
  service::response response(wanted);
  if (const auto type = request.header("content-type")) response.header("Content-Type", *type);
  response.header("X-Plugin", "hello");
  response.write(request.body());
}
SERVICE_RESPONSE_FORM(POSTEchoHandler)
