// Tests what is loaded and what is refused, how handlers are found, and what is said of a library; the one argument is
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

void ExpectRefusal(const std::vector<char>& bytes, const std::string& what,
                   const std::string& message, const std::string& detail) {
  const int before = OpenFiles();
  std::string told;
  std::string logged;
  const auto library = PluginLibrary::Load("it", bytes, &told, &logged);
  Expect(library == nullptr, what + " is refused");
  ExpectText("plugin it could not be loaded" + message, told, what);
  ExpectText("it.so: " + detail, logged, what);
  Expect(OpenFiles() == before, what + " leaves no descriptor");
}

void TestRefusals(const std::string& folder) {
  const std::string check = ", check your service logs";
  const std::string defines = ", which SERVICE_PLUGIN of service_plugin.h defines";
  const std::string text = "#!/bin/sh\n";
  ExpectRefusal({}, "nothing", check, "not an ELF file");
  ExpectRefusal({text.begin(), text.end()}, "a script", check, "not an ELF file");
  std::vector<char> bytes = ReadBytes(folder + "/answers.so");
  const std::vector<char> part(bytes.begin(), bytes.begin() + 4096);
  ExpectRefusal(part, "a part of a library", check, "an incomplete file");
  bytes[4] ^= 3;
  ExpectRefusal(bytes, "another machine's", check, "an ELF file of another machine");
  const std::string abi = "it has no service_plugin_abi" + defines;
  const std::string newer = "it is written for ABI 2.1, this service has 1.0";
  const std::string wide = "its service_plugin_abi is no number of 32 bits";
  const std::string alone = "it has no function service_plugin_http_vars" + defines;
  ExpectRefusal(ReadBytes(folder + "/nothing.so"), "no ABI", ": " + abi, abi);
  ExpectRefusal(ReadBytes(folder + "/newer.so"), "a newer ABI", ": " + newer, newer);
  ExpectRefusal(ReadBytes(folder + "/wide.so"), "a wide ABI", ": " + wide, wide);
  ExpectRefusal(ReadBytes(folder + "/function.so"), "a function", ": " + wide, wide);
  ExpectRefusal(ReadBytes(folder + "/alone.so"), "the ABI alone", ": " + alone, alone);
  ExpectRefusal(ReadBytes(folder + "/undefined.so"), "an undefined symbol", check,
                "undefined symbol: nowhere");
}

// Such a library has run, and so stays; it serves nothing.
void TestSmallVariables(const std::string& folder) {
  std::string message;
  std::string detail;
  const auto library =
      PluginLibrary::Load("small", ReadBytes(folder + "/small.so"), &message, &detail);
  Expect(library == nullptr, "variables too small are refused");
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
  const auto library = sql_rest_test::Load(folder + "/answers.so", "answers");
  ExpectLookup(*library, Lookup::kFound, "GET", "Echo", "");
  ExpectLookup(*library, Lookup::kFound, "POST", "Echo", "");
  ExpectLookup(*library, Lookup::kNotFound, "GET", "Nope", "plugin answers has no function Nope");
  ExpectLookup(*library, Lookup::kNotFound, "GET", "Only",
               "function Only of plugin answers has no handler for GET, only for DELETE, PUT");
  ExpectLookup(*library, Lookup::kNotFound, "HEAD", "Empty",
               "function Empty of plugin answers has no handler for HEAD, only for GET");
  // What would find the handler of another function, or no handler at all.
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
  const auto leans = sql_rest_test::Load(folder + "/leans.so", "leans");
  ExpectLookup(*leans, Lookup::kFound, "GET", "Lean", "");
  ExpectLookup(*leans, Lookup::kNotFound, "GET", "Empty", "plugin leans has no function Empty");
}

// CloseMemory closes the descriptors of libraries, as a plugin may that closes what is not its own.
void CloseMemory() {
  for (int fd = 0; fd < 1024; fd++) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    char target[64] = "";
    if (::readlink(path.c_str(), target, sizeof target - 1) > 0 &&
        std::strncmp(target, "/memfd:plugin", 13) == 0)
      ::close(fd);
  }
}

// The same bytes under two names are two libraries, also when the descriptor of a refused one was free meanwhile.
void TestCopies(const std::string& folder) {
  const auto first = sql_rest_test::Load(folder + "/answers.so", "first");
  std::string ignored;
  Expect(PluginLibrary::Load("bad", ReadBytes(folder + "/undefined.so"), &ignored, &ignored) ==
             nullptr,
         "a library between");
  const auto second = sql_rest_test::Load(folder + "/answers.so", "second");
  Expect(first->http_vars() != second->http_vars(), "each has variables of its own");
  const auto throws = sql_rest_test::Load(folder + "/throws.so", "throws");
  Expect(throws->Find("GET", "Count").lookup == PluginLibrary::Lookup::kFound,
         "another library is not taken for it");
  CloseMemory();
  const auto third = sql_rest_test::Load(folder + "/answers.so", "third");
  Expect(third->http_vars() != first->http_vars() && third->http_vars() != second->http_vars(),
         "nor one whose descriptor a plugin closed");
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
  const std::string answers = sql_rest::DescribePlugin(folder + "/answers.so", &usable);
  Expect(usable, "answers.so has none");
  Expect(Contains(answers, "\"form\":\"status\"") && Contains(answers, "\"form\":\"response\""),
         "forms are named");
  Expect(answers.find("DELETEOnly") < answers.find("GETEcho"), "handlers are sorted");
  ExpectText("{\"file\":\"" + folder +
                 "/none.so\",\"abi\":null,\"handlers\":[],\"problems\":[\"cannot be read: No such "
                 "file or directory\"]}",
             sql_rest::DescribePlugin(folder + "/none.so", &usable), "a file that is not there");
  Expect(!usable, "what is not there is not usable");
  Expect(Contains(sql_rest::DescribePlugin(folder, &usable), "\"not a regular file\""), "a folder");
  Expect(Contains(sql_rest::DescribePlugin(folder + "/undefined.so", &usable),
                  "\"undefined symbol: nowhere\""),
         "the loader's words are the author's");
  Expect(Contains(sql_rest::DescribePlugin(folder + "/newer.so", &usable), "\"abi\":\"2.1\""),
         "another ABI is named");
}

// Every beginning of a library is read without a fault, and is none.
void TestBeginnings(const std::string& folder) {
  const std::vector<char> bytes = ReadBytes(folder + "/answers.so");
  int read = 0;
  for (std::size_t length = 0; length < bytes.size(); length += length < 1024 ? 1 : 61) {
    // A copy, so that what is behind it can be seen to be touched.
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<long>(length));
    sql_rest::PluginManifest manifest;
    std::string problem;
    if (sql_rest::ReadPluginManifest({part.data(), part.size()}, &manifest, &problem) &&
        manifest.functions.empty())
      read++;
  }
  Expect(read == 0, "no beginning is a library without handlers");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_library_test FOLDER\n");
    return 99;
  }
  TestRefusals(argv[1]);
  TestSmallVariables(argv[1]);
  TestLookups(argv[1]);
  TestCopies(argv[1]);
  TestDescriptions(argv[1]);
  TestBeginnings(argv[1]);
  return sql_rest_test::Finish("plugin library");
}
