// A million calls, of all three forms and of refused answers, leave resident memory as it was. Runs without sanitizers, which keep what is
// freed. The one argument is the folder of the libraries.
#include <unistd.h>

#include <fstream>
#include <string>

#include "expect.h"
#include "plugins.h"

namespace {

constexpr int kCalls = 1'000'000;
constexpr int kWarming = 20'000;
// What the allocator may still come to keep; a leak of one byte a call is more.
constexpr long kSlack = 512L << 10;

long ResidentBytes() {
  long total = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

void Calls(const sql_rest::PluginLibrary& library, int count) {
  const sql_rest_test::Request requests[] = {
      {"GET", "Echo", "a=1&b=two+words&a=%C3%A9&a-long-name-for-a-parameter=and-a-long-value"},
      {"GET", "Status", "status=404"},
      {"POST", "Request", "a=1", "x-one\n1\naccept\ntext/plain", "a body"},
      {"GET", "Odd", "case=11"},
      {"GET", "Latin"},
  };
  // What is refused is rare, and dear.
  for (int i = 0; i < count; i++)
    sql_rest_test::Call(library, requests[i % 100 == 0 ? 3 + i / 100 % 2 : i % 3]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_memory_test FOLDER\n");
    return 99;
  }
  const auto library = sql_rest_test::Load(std::string(argv[1]) + "/answers.so", "answers");
  Calls(*library, kWarming);
  const long before = ResidentBytes();
  Calls(*library, kCalls);
  const long grown = ResidentBytes() - before;
  sql_rest_test::Expect(before > 0 && grown < kSlack, std::to_string(grown) + " bytes more");
  return sql_rest_test::Finish("plugin memory");
}
