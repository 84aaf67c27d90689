// Libraries of native/test/plugins, built beforehand into a folder, and calls of them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../plugin_call.h"
#include "../plugin_library.h"

namespace sql_rest_test {

inline std::vector<char> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Load ends the program when it can not: nothing can be tested then.
inline std::unique_ptr<sql_rest::PluginLibrary> Load(const std::string& path,
                                                     const std::string& name) {
  std::string message;
  std::string detail;
  auto library = sql_rest::PluginLibrary::Load(name, ReadBytes(path), &message, &detail);
  if (library != nullptr) return library;
  std::printf("not ok: %s: %s (%s)\n", path.c_str(), message.c_str(), detail.c_str());
  std::exit(99);
}

// What a test says of a call; the texts are copied, as those of a real call are.
struct Request {
  std::string_view method = "GET";
  std::string_view function;
  std::string_view query = "";
  std::string_view headers = "";
  std::string_view body = "";
};

// Call runs one; a function that is not there is a failure of its own.
inline sql_rest::PluginAnswer Call(const sql_rest::PluginLibrary& library, const Request& request,
                                   std::size_t max_response = 1024) {
  sql_rest::PluginAnswer answer;
  const auto found = library.Find(request.method, request.function);
  if (found.lookup != sql_rest::PluginLibrary::Lookup::kFound) {
    answer.Fail(sql_rest::PluginFailure::kHandlerNotFound, found.message);
    return answer;
  }
  const std::string memory[] = {std::string(request.method), std::string(request.function),
                                std::string(request.query), std::string(request.headers),
                                std::string(request.body)};
  sql_rest::PluginCall call;
  call.method = memory[0];
  call.library = library.name();
  call.function = memory[1];
  call.path = "/_PLUGIN/a/b";
  call.query = memory[2];
  call.headers = memory[3];
  call.request_id = "id-1";
  call.user = "ann";
  call.claims = "{\"sub\":\"ann\"}";
  call.body = memory[4];
  sql_rest::RunPluginCall(found.handler, call, max_response, &answer);
  return answer;
}

}  // namespace sql_rest_test
