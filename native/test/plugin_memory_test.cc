// A million calls, of all three forms and with invalid responses, do not increase resident memory. Runs without
// sanitizers, which delay the reuse of freed memory. The argument is the folder of the libraries.
#include <unistd.h>

#include <fstream>
#include <string>

#include "expect.h"
#include "plugins.h"

namespace {

constexpr int kCalls = 1'000'000;
constexpr int kWarmUp = 20'000;
// Growth of the allocator itself; a leak of one byte a call exceeds it.
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
  // Invalid responses are rare, because they are expensive.
  for (int i = 0; i < count; i++)
    sql_rest_test::Call(library, requests[i % 100 == 0 ? 3 + i / 100 % 2 : i % 3]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_memory_test FOLDER\n");
    return 99;
  }
  const auto library = sql_rest_test::Load(std::string(argv[1]) + "/forms.so", "forms");
  Calls(*library, kWarmUp);
  const long before = ResidentBytes();
  Calls(*library, kCalls);
  const long grown = ResidentBytes() - before;
  sql_rest_test::Expect(before > 0 && grown < kSlack, std::to_string(grown) + " bytes of growth");
  return sql_rest_test::Finish("plugin memory");
}
