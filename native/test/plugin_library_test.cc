// Tests which libraries are loaded and which are rejected, the lookup of handlers, and descriptions. The argument is
// the folder of the libraries.
#include "../plugin_library.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "../plugin_check.h"
#include "expect.h"
#include "plugins.h"

namespace {

using sql_rest::PluginLibrary;
using sql_rest_test::Expect;
using sql_rest_test::ExpectText;
using sql_rest_test::ReadBytes;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// OpenFiles counts the descriptors of this process.
int OpenFiles() {
  int open = 0;
  for (int fd = 0; fd < 1024; fd++) open += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return open;
}

void ExpectRejection(const std::vector<char>& bytes, const std::string& what,
                     const std::string& message, const std::string& detail) {
  const int before = OpenFiles();
  std::string returned;
  std::string logged;
  const auto library = PluginLibrary::Load("it", bytes, &returned, &logged);
  Expect(library == nullptr, what + " is rejected");
  ExpectText("plugin it could not be loaded" + message, returned, what);
  ExpectText("it.so: " + detail, logged, what);
  Expect(OpenFiles() == before, what + " leaves no descriptor");
}

void TestRejections(const std::string& folder) {
  const std::string check = ", check your service logs";
  const std::string defines = ", which SERVICE_PLUGIN of service_plugin.h defines";
  const std::string text = "#!/bin/sh\n";
  ExpectRejection({}, "nothing", check, "not an ELF file");
  ExpectRejection({text.begin(), text.end()}, "a script", check, "not an ELF file");
  std::vector<char> bytes = ReadBytes(folder + "/forms.so");
  const std::vector<char> part(bytes.begin(), bytes.begin() + 4096);
  ExpectRejection(part, "a part of a library", check, "an incomplete file");
  bytes[4] ^= 3;
  ExpectRejection(bytes, "another machine's", check, "an ELF file of another machine");
  const std::string abi = "it has no service_plugin_abi" + defines;
  const std::string newer = "it is written for ABI 2.1, this service has 1.0";
  const std::string wide = "its service_plugin_abi is no number of 32 bits";
  const std::string alone = "it has no function service_plugin_http_vars" + defines;
  ExpectRejection(ReadBytes(folder + "/nothing.so"), "no ABI", ": " + abi, abi);
  ExpectRejection(ReadBytes(folder + "/newer.so"), "a newer ABI", ": " + newer, newer);
  ExpectRejection(ReadBytes(folder + "/wide.so"), "a wide ABI", ": " + wide, wide);
  ExpectRejection(ReadBytes(folder + "/function.so"), "a function", ": " + wide, wide);
  ExpectRejection(ReadBytes(folder + "/alone.so"), "the ABI alone", ": " + alone, alone);
  ExpectRejection(ReadBytes(folder + "/undefined.so"), "an undefined symbol", check,
                  "undefined symbol: nowhere");
}

// The code of such a library has run, so it stays loaded, but it serves nothing.
void TestSmallVariables(const std::string& folder) {
  std::string message;
  std::string detail;
  const auto library =
      PluginLibrary::Load("small", ReadBytes(folder + "/small.so"), &message, &detail);
  Expect(library == nullptr, "variables that are too small are rejected");
  ExpectText("small.so: its HTTPVars or URLQuery is missing or too small", detail, "small");
}

void ExpectLookup(const PluginLibrary& library, PluginLibrary::Lookup expected,
                  const std::string& method, const std::string& function,
                  const std::string& message) {
  const PluginLibrary::Found found = library.Find(method, function);
  Expect(found.lookup == expected, method + " " + function + " is looked up");
  ExpectText(message, found.message, method + " " + function);
  Expect((found.handler.address != nullptr) == (expected == PluginLibrary::Lookup::kFound),
         method + " " + function + " has an address only when it is found");
}

void TestLookups(const std::string& folder) {
  using Lookup = PluginLibrary::Lookup;
  const auto library = sql_rest_test::Load(folder + "/forms.so", "forms");
  ExpectLookup(*library, Lookup::kFound, "GET", "Echo", "");
  ExpectLookup(*library, Lookup::kFound, "POST", "Echo", "");
  ExpectLookup(*library, Lookup::kNotFound, "GET", "Nope", "plugin forms has no function Nope");
  ExpectLookup(*library, Lookup::kNotFound, "GET", "Only",
               "function Only of plugin forms has no handler for GET, only for DELETE, PUT");
  ExpectLookup(*library, Lookup::kNotFound, "HEAD", "Empty",
               "function Empty of plugin forms has no handler for HEAD, only for GET");
  // Methods that would form the symbol of another handler, or of no handler.
  for (const char* method : {"get", "", "G", "GETE", "service_plugin_"}) {
    Expect(library->Find(method, "Echo").lookup == Lookup::kNotFound, "no such method");
    Expect(library->Find(method, "ETEcho").lookup == Lookup::kNotFound, "no such method");
    Expect(library->Find(method, "cho").lookup == Lookup::kNotFound, "no such method");
  }
  const auto odd = sql_rest_test::Load(folder + "/odd.so", "odd");
  ExpectLookup(*odd, Lookup::kFound, "GET", "Fine", "");
  ExpectLookup(*odd, Lookup::kFound, "GET", "Chosen", "");
  for (const std::string function : {"Undeclared", "Wide"})
    ExpectLookup(*odd, Lookup::kUndeclaredForm, "GET", function,
                 "function " + function + " of plugin odd declares no known form");
  for (const std::string function : {"Data", "Thread", "Dot.ted", ""})
    ExpectLookup(*odd, Lookup::kNotFound, "GET", function,
                 "plugin odd has no function " + function);
  const auto dependent = sql_rest_test::Load(folder + "/dependent.so", "dependent");
  ExpectLookup(*dependent, Lookup::kFound, "GET", "Dependent", "");
  ExpectLookup(*dependent, Lookup::kNotFound, "GET", "Empty",
               "plugin dependent has no function Empty");
}

// CloseMemory closes the descriptors of loaded libraries, as a plugin might.
void CloseMemory() {
  for (int fd = 0; fd < 1024; fd++) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    char target[64] = "";
    if (::readlink(path.c_str(), target, sizeof target - 1) > 0 &&
        std::strncmp(target, "/memfd:plugin", 13) == 0)
      ::close(fd);
  }
}

// The same bytes under two names are two libraries, also when a rejected library has freed its descriptor between.
void TestCopies(const std::string& folder) {
  const auto first = sql_rest_test::Load(folder + "/forms.so", "first");
  std::string ignored;
  Expect(PluginLibrary::Load("bad", ReadBytes(folder + "/undefined.so"), &ignored, &ignored) ==
             nullptr,
         "a rejected library between");
  const auto second = sql_rest_test::Load(folder + "/forms.so", "second");
  Expect(first->http_vars() != second->http_vars(), "each library has its own variables");
  const auto throws = sql_rest_test::Load(folder + "/throws.so", "throws");
  Expect(throws->Find("GET", "Count").lookup == PluginLibrary::Lookup::kFound,
         "a different library is distinguished");
  CloseMemory();
  const auto third = sql_rest_test::Load(folder + "/forms.so", "third");
  Expect(third->http_vars() != first->http_vars() && third->http_vars() != second->http_vars(),
         "also after a plugin has closed the descriptors");
}

void TestDescriptions(const std::string& folder) {
  bool usable = true;
  const std::string odd = sql_rest::DescribePlugin(folder + "/odd.so", &usable);
  Expect(!usable, "odd.so has problems");
  for (const char* part :
       {"\"abi\":\"1.0\"",
        "{\"method\":\"GET\",\"function\":\"Fine\",\"form\":\"string\",\"symbol\":"
        "\"GETFineHandler\"}",
        "\"GETDataHandler is no function\"", "\"GETThreadHandler is no function\"",
        "\"GETUndeclaredHandler declares no known form\"",
        "\"GETWideHandler declares no known form\"",
        "\"GETAbsentHandlerForm declares the form of a function that is not there\"",
        "\"GETHandler cannot be called", "\"GETDot.tedHandler cannot be called", "gggg",
        "\"_Z17GETMangledHandlerv has a C++ name: begin its definition with SERVICE_HANDLER\""})
    Expect(Contains(odd, part), std::string(part) + " is in " + odd);
  for (const char* part : {"getLower", "FETCH", "\"GETDataHandler\"", "\"GETUndeclaredHandler\""})
    Expect(!Contains(odd, part), std::string(part) + " is not in " + odd);
  const std::string forms = sql_rest::DescribePlugin(folder + "/forms.so", &usable);
  Expect(usable, "forms.so has no problems");
  Expect(Contains(forms, "\"form\":\"status\"") && Contains(forms, "\"form\":\"response\""),
         "forms are named");
  Expect(forms.find("DELETEOnly") < forms.find("GETEcho"), "handlers are sorted");
  ExpectText("{\"file\":\"" + folder +
                 "/none.so\",\"abi\":null,\"handlers\":[],\"problems\":[\"cannot be read: No such "
                 "file or directory\"]}",
             sql_rest::DescribePlugin(folder + "/none.so", &usable), "a missing file");
  Expect(!usable, "a missing file is not usable");
  Expect(Contains(sql_rest::DescribePlugin(folder, &usable), "\"not a regular file\""), "a folder");
  Expect(Contains(sql_rest::DescribePlugin(folder + "/undefined.so", &usable),
                  "\"undefined symbol: nowhere\""),
         "the loader's message is reported");
  Expect(Contains(sql_rest::DescribePlugin(folder + "/newer.so", &usable), "\"abi\":\"2.1\""),
         "another ABI is named");
}

// No prefix of a library causes a fault, or reads as a library.
void TestPrefixes(const std::string& folder) {
  const std::vector<char> bytes = ReadBytes(folder + "/forms.so");
  int read = 0;
  for (std::size_t length = 0; length < bytes.size(); length += length < 1024 ? 1 : 61) {
    // A copy, so that AddressSanitizer reports reads beyond it.
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<long>(length));
    sql_rest::PluginManifest manifest;
    std::string problem;
    if (sql_rest::ReadPluginManifest({part.data(), part.size()}, &manifest, &problem) &&
        manifest.functions.empty())
      read++;
  }
  Expect(read == 0, "no prefix is a library without handlers");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_library_test FOLDER\n");
    return 99;
  }
  TestRejections(argv[1]);
  TestSmallVariables(argv[1]);
  TestLookups(argv[1]);
  TestCopies(argv[1]);
  TestDescriptions(argv[1]);
  TestPrefixes(argv[1]);
  return sql_rest_test::Finish("plugin library");
}
