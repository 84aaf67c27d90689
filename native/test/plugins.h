// Loads and calls the libraries of native/test/plugins, which are built beforehand.
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

// AddressSanitizer's tracking of thread-local storage misreads a block that happens to begin a page as one with a
// header of glibc 2.19, and then crashes in the search for leaks. No library here stores the only pointer to memory in
// such a block.
extern "C" __attribute__((used, visibility("default"))) inline const char*
__asan_default_options() {
  return "intercept_tls_get_addr=0";
}

namespace sql_rest_test {

inline std::vector<char> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Load exits when it fails, because nothing can be tested then.
inline std::unique_ptr<sql_rest::PluginLibrary> Load(const std::string& path,
                                                     const std::string& name) {
  std::string message;
  std::string detail;
  auto library = sql_rest::PluginLibrary::Load(name, ReadBytes(path), &message, &detail);
  if (library != nullptr) return library;
  std::printf("not ok: %s: %s (%s)\n", path.c_str(), message.c_str(), detail.c_str());
  std::exit(99);
}

// The parts of a call that tests vary.
struct Request {
  std::string_view method = "GET";
  std::string_view function;
  std::string_view query = "";
  std::string_view headers = "";
  std::string_view body = "";
};

// Call runs a call; kHandlerNotFound for an unknown function. The texts are copied, as in a real call.
inline sql_rest::PluginResult Call(const sql_rest::PluginLibrary& library, const Request& request,
                                   std::size_t max_response = 1024) {
  sql_rest::PluginResult result;
  const auto found = library.Find(request.method, request.function);
  if (found.lookup != sql_rest::PluginLibrary::Lookup::kFound) {
    result.Fail(sql_rest::PluginFailure::kHandlerNotFound, found.message);
    return result;
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
  sql_rest::RunPluginCall(found.handler, call, max_response, &result);
  return result;
}

}  // namespace sql_rest_test
