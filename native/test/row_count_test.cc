// Tests CountRows with arrays as json_agg and jsonb_agg write them, and with texts of any other form, cut at every length.
#include "../row_count.h"

#include <cstddef>
#include <string>

#include "expect.h"

namespace {

using sql_rest::CountRows;
using sql_rest_test::Expect;

const struct {
  const char* json;
  std::size_t rows;
} kCases[] = {
    {"", 0},
    {"null", 1},
    {"12", 1},
    {"\"a, [1, 2]\"", 1},
    {R"({"a":[1,2]})", 1},
    {"[]", 0},
    {" []", 1},
    {"[ \n ]", 0},
    {"[{}]", 1},
    {"[1]", 1},
    {"[\"\"]", 1},
    {"[1,2, 3]", 3},
    {"[null, [1, 2], {}]", 3},
    {R"([{"a":1}])", 1},
    {"[{\"a\":1}, \n {\"a\":2}]", 2},
    {"[{\"a\":1}, \n {\"a\":2}, \n {\"a\":3}]", 3},
    {"[{}, \n {}, \n {}, \n {}]", 4},
    {R"([{"a": 1}, {"a": 2}])", 2},
    // Separators in strings, and strings that end in a backslash.
    {R"([{"a":"}, {"}])", 1},
    {R"([{"a":"}, \n {"}])", 1},
    {"[{\"a\":\"}, {\"}, \n {\"a\":2}]", 2},
    {R"([{"a": "}, {"}, {"a": "\\"}])", 2},
    {R"([{"a": "\""}, {"a": ",],[\\\""}])", 2},
    // Arrays in rows, the rows of which have the same separators.
    {"[{\"a\":[{\"b\":1}, \n {\"b\":2}]}]", 1},
    {"[{\"a\":[{\"b\":1}, \n {\"b\":2}]}, \n {\"a\":[]}]", 2},
    {"[{\"a\":\"[\"}, \n {\"a\":2}]", 2},
    {R"([{"a": [1, 2]}, {"a": [[]]}])", 2},
    {"[{\"a\":[1, {}, \n {}]}, \n {\"a\":2}]", 2},
    {"[{\"a\":[1,{\"b\":[]}\t,{}]}, \n {\"a\":[2]}, \n {\"a\":[3]}]", 3},
    {"[{\"a\":[\"x\"]}, \n {\"a\":[\"y\", \"z\"]}]", 2},
    // Braces in strings.
    {"[{\"a\":\"{\"}, \n {\"a\":\", {\"}, \n {\"a\":\"[ {\"}]", 3},
    {"[{\"a\":\"b{\"}, \n {\"a\":\"{}{\"}]", 2},
    // A json column as it was written.
    {"[{\"a\":{\"b\":{\"c\":1}, \n \"d\":{}}}, \n {\"a\":null}]", 2},
    {"[{\"a\": {\"b\" : 1 }\n}, \n {\"a\":[ {}, \n {} ]}]", 2},
    // No JSON.
    {"[", 0},
    {"[[", 1},
    {"[\"", 1},
    {"[\"\\", 1},
    {"]", 1},
    {"[]]],", 0},
};

void TestCases() {
  for (const auto& [json, rows] : kCases) {
    const std::size_t found = CountRows(json);
    Expect(found == rows, std::string(json) + ": expected " + std::to_string(rows) + ", got " +
                              std::to_string(found));
  }
}

// Each text in memory of its own, whose end a sanitizer watches.
void TestCut() {
  for (const auto& each : kCases) {
    const std::string json = each.json;
    for (std::size_t length = 0; length <= json.size(); length++) {
      const std::string cut(json, 0, length);
      Expect(CountRows(cut) <= length, cut);
    }
  }
}

}  // namespace

int main() {
  TestCases();
  TestCut();
  return sql_rest_test::Finish("json rows");
}
