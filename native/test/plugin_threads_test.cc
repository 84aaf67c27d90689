// Loads libraries and calls them from eight threads at once. Each thread must find its own values in the variables of
// each library. Run under ThreadSanitizer. The argument is the folder of the libraries.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"
#include "plugins.h"

namespace {

constexpr int kThreads = 8;
constexpr int kCalls = 2000;

std::atomic<int> wrong{0};

void Count(bool holds) {
  if (!holds) wrong++;
}

// Run loads its own library, and calls it and the shared ones in turn.
void Run(int thread, const std::string& folder,
         const std::vector<std::unique_ptr<sql_rest::PluginLibrary>>& shared) {
  const auto own = sql_rest_test::Load(folder + "/forms.so", "own" + std::to_string(thread));
  for (int i = 0; i < kCalls; i++) {
    const sql_rest::PluginLibrary& library =
        i % 3 == 0 ? *own : *shared[static_cast<std::size_t>(i + thread) % shared.size()];
    const std::string n = std::to_string(thread * kCalls + i);
    const std::string query = "n=" + n;
    Count(sql_rest_test::Call(library, {"GET", "Twice", query}).body ==
          "Twice " + n + " " + library.name() + " " + n);
    Count(sql_rest_test::Call(library, {"GET", "Status", "status=202"}).status == 202);
    Count(sql_rest_test::Call(library, {"POST", "Request", query, "x-one\n1", "b"}).status == 201);
    Count(library.Find("GET", "Nope").lookup == sql_rest::PluginLibrary::Lookup::kNotFound);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_threads_test FOLDER\n");
    return 99;
  }
  const std::string folder = argv[1];
  std::vector<std::unique_ptr<sql_rest::PluginLibrary>> shared;
  for (const char* name : {"one", "two", "three"})
    shared.push_back(sql_rest_test::Load(folder + "/forms.so", name));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) threads.emplace_back([&, i] { Run(i, folder, shared); });
  for (std::thread& thread : threads) thread.join();
  sql_rest_test::Expect(wrong == 0, std::to_string(wrong.load()) + " calls had wrong values");
  return sql_rest_test::Finish("plugin threads");
}
