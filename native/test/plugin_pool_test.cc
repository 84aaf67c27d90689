// Several threads push calls to a pool; some calls are abandoned, returned, end their thread, time out, or have a
// library that cannot be loaded. Every call must have exactly one outcome. Run under ThreadSanitizer. The argument is
// the folder of the libraries.
#include "../plugin_pool.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "expect.h"
#include "plugins.h"

namespace {

using sql_rest::PluginFailure;
using sql_rest::PluginRecordKind;
using sql_rest_test::Expect;

constexpr std::uint32_t kProducers = 3;
constexpr std::uint32_t kCalls = 3000;
constexpr auto kTimeout = std::chrono::milliseconds(200);
constexpr auto kMaxWait = std::chrono::seconds(60);

// Outcomes reads records and counts the outcomes of each call.
class Outcomes {
 public:
  struct Outcome {
    int count = 0;
    PluginRecordKind kind = PluginRecordKind::kJson;
    std::uint16_t status = 0;
    std::string body;
  };

  sql_rest::PluginRecordQueue* records() { return &records_; }

  // Await waits until that many calls have an outcome; false after kMaxWait.
  bool Await(std::size_t calls) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + kMaxWait;
    for (;;) {
      Read();
      if (outcomes_.size() >= calls) return true;
      if (!awake_.wait_until(lock, until, [this] { return woken_; })) return false;
      woken_ = false;
    }
  }

  const std::map<std::uint32_t, Outcome>& outcomes() const { return outcomes_; }
  // The number of records of a kind that is not the outcome of a call.
  int Others(PluginRecordKind kind) { return others_[kind]; }

 private:
  void Wake() {
    const std::lock_guard<std::mutex> lock(mutex_);
    woken_ = true;
    awake_.notify_one();
  }

  void Read() {
    const std::string bytes = records_.Take();
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint32_t id, head, body;
      std::uint16_t kind, status;
      std::memcpy(&id, bytes.data() + at, 4);
      std::memcpy(&kind, bytes.data() + at + 4, 2);
      std::memcpy(&status, bytes.data() + at + 6, 2);
      std::memcpy(&head, bytes.data() + at + 8, 4);
      std::memcpy(&body, bytes.data() + at + 12, 4);
      at += sql_rest::kRecordHead + head;
      const auto known = static_cast<PluginRecordKind>(kind);
      if (known <= PluginRecordKind::kReturned) {
        Outcome& outcome = outcomes_[id];
        outcome.count++;
        outcome.kind = known;
        outcome.status = status;
        outcome.body = bytes.substr(at, body);
      } else {
        others_[known]++;
      }
      at += body;
    }
  }

  std::mutex mutex_;
  std::condition_variable awake_;
  bool woken_ = false;
  std::map<std::uint32_t, Outcome> outcomes_;
  std::map<PluginRecordKind, int> others_;
  sql_rest::PluginRecordQueue records_{[this] { Wake(); }};
};

// MakeCall packs a call as UTF-16, as on the wire, and decodes it.
sql_rest::PluginCall MakeCall(std::uint32_t id, const std::string& library,
                              const std::string& function, const std::string& query) {
  const std::u16string texts[] = {u"GET",
                                  {library.begin(), library.end()},
                                  {function.begin(), function.end()},
                                  u"/_PLUGIN/a/b",
                                  {query.begin(), query.end()},
                                  u"",
                                  u"id-1",
                                  u"",
                                  u""};
  std::u16string packed;
  for (int shift = 24; shift >= 0; shift -= 8) packed += static_cast<char16_t>(id >> shift & 255);
  for (const auto& text : texts)
    for (int shift = 16; shift >= 0; shift -= 8)
      packed += static_cast<char16_t>(text.size() >> shift & 255);
  for (const auto& text : texts) packed += text;
  std::vector<sql_rest::PluginCall> calls;
  Expect(sql_rest::DecodeCalls(packed, &calls) && calls.size() == 1, "a call is decoded");
  return std::move(calls.front());
}

std::vector<sql_rest::PluginCall> One(sql_rest::PluginCall call) {
  std::vector<sql_rest::PluginCall> calls;
  calls.push_back(std::move(call));
  return calls;
}

// Produce pushes calls of every kind, and abandons every twelfth at once.
void Produce(sql_rest::PluginPool* pool, std::uint32_t first,
             std::vector<sql_rest::PluginCall> calls) {
  std::uint32_t id = first;
  for (sql_rest::PluginCall& call : calls) {
    pool->Push(One(std::move(call)));
    if (id++ % 12 == 0) pool->Abandon({id - 1});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: plugin_pool_test FOLDER\n");
    return 99;
  }
  const std::string folder = argv[1];
  auto* const outcomes = new Outcomes;  // the pool's threads never end
  sql_rest::PluginPoolOptions options;
  options.threads = 4;
  options.timeout = kTimeout;
  options.max_response = 1024;
  auto* const pool = new sql_rest::PluginPool(std::move(options), outcomes->records());
  for (const char* name : {"forms", "throws"})
    pool->AddLibrary(name, sql_rest_test::ReadBytes(folder + "/" + name + ".so"));
  pool->AddLibrary("undefined", sql_rest_test::ReadBytes(folder + "/undefined.so"));

  std::vector<std::thread> producers;
  for (std::uint32_t producer = 0; producer < kProducers; producer++) {
    const std::uint32_t first = 1 + producer * kCalls;
    std::vector<sql_rest::PluginCall> calls;
    for (std::uint32_t id = first; id < first + kCalls; id++) {
      const std::string n = "n=" + std::to_string(id);
      if (id % 500 == 7) {
        calls.push_back(MakeCall(id, "throws", "Exit", ""));
      } else if (id % 10 == 5) {
        calls.push_back(MakeCall(id, "undefined", "Echo", ""));
      } else {
        calls.push_back(MakeCall(id, "forms", "Twice", n));
      }
    }
    producers.emplace_back(Produce, pool, first, std::move(calls));
  }
  for (std::thread& producer : producers) producer.join();
  const std::size_t all = kProducers * kCalls;
  Expect(outcomes->Await(all), "every call has an outcome");
  for (const auto& [id, outcome] : outcomes->outcomes()) {
    const std::string what = "call " + std::to_string(id);
    const std::string n = std::to_string(id);
    Expect(outcome.count == 1, what + " has one outcome");
    if (outcome.kind == PluginRecordKind::kReturned) {
      Expect(id % 12 == 0, what + " was abandoned");
    } else if (outcome.kind == PluginRecordKind::kFailed) {
      const auto failure = static_cast<PluginFailure>(outcome.status);
      const bool broken = failure == PluginFailure::kLoadFailed && id % 10 == 5;
      Expect(broken || (failure == PluginFailure::kCrashed && id % 500 == 7), what + " fails");
    } else {
      sql_rest_test::ExpectText("Twice " + n + " forms " + n, outcome.body, what);
    }
  }
  Expect(outcomes->Others(PluginRecordKind::kLoaded) == 2, "two libraries are loaded, once each");
  Expect(outcomes->Others(PluginRecordKind::kUnloadable) == 1, "one is not, after one attempt");

  // As many calls as there are threads time out; later calls run on new threads. One of them never ends.
  std::uint32_t id = static_cast<std::uint32_t>(all) + 1;
  for (int i = 0; i < 4; i++)
    pool->Push(One(MakeCall(id++, "forms", "Late", i == 0 ? "n=600000" : "n=1000")));
  pool->Push(One(MakeCall(id++, "forms", "Twice", "n=1")));
  Expect(outcomes->Await(id - 1), "overdue calls do not delay others");
  for (std::uint32_t late = id - 5; late < id - 1; late++) {
    const auto& outcome = outcomes->outcomes().at(late);
    Expect(outcome.kind == PluginRecordKind::kFailed &&
               outcome.status == static_cast<std::uint16_t>(PluginFailure::kTimeout),
           "overdue calls fail with a timeout");
  }
  Expect(outcomes->outcomes().at(id - 1).kind == PluginRecordKind::kJson,
         "the call after them has a response");

  // Calls that have not begun are returned.
  const std::uint32_t waiting = id;
  for (int i = 0; i < 4; i++) pool->Push(One(MakeCall(id++, "forms", "Late", "n=100")));
  for (int i = 0; i < 50; i++) pool->Push(One(MakeCall(id++, "forms", "Late", "n=100")));
  pool->Retire();
  Expect(outcomes->Await(id - 1), "all calls are finished or returned");
  int returned = 0;
  for (std::uint32_t one = waiting; one < id; one++)
    if (outcomes->outcomes().at(one).kind == PluginRecordKind::kReturned) returned++;
  Expect(returned >= 46, std::to_string(returned) + " calls were returned");
  for (const auto& entry : outcomes->outcomes())
    Expect(entry.second.count == 1, "call " + std::to_string(entry.first) + " has one outcome");
  Expect(outcomes->Others(PluginRecordKind::kRetired) == 1, "kRetired is reported once");
  return sql_rest_test::Finish("plugin pool", static_cast<int>(outcomes->outcomes().size()));
}
