// Tests ParseQueryString with test/vectors/query-strings.jsonl (the argument is its path), which also tests the parser
// for scripts, and IsUtf8 with every code point in every length.
#include "../query_string.h"

#include <fstream>
#include <string>
#include <vector>

#include "../json_text.h"
#include "../utf8.h"
#include "expect.h"

namespace {

using sql_rest_test::Expect;
using sql_rest_test::ExpectText;

// Render formats the parsed parameters as a line of the vectors.
std::string Render(const std::string& raw) {
  std::vector<sql_rest::QueryParameter> parameters;
  std::string message;
  std::string line = "{\"raw\":";
  sql_rest::AppendJsonString(raw, &line);
  if (!sql_rest::ParseQueryString(raw, &parameters, &message)) {
    line += ",\"error\":";
    sql_rest::AppendJsonString(message, &line);
    return line + "}";
  }
  line += ",\"parameters\":[";
  for (const sql_rest::QueryParameter& parameter : parameters) {
    line += line.back() == '[' ? "[" : ",[";
    sql_rest::AppendJsonString(parameter.name, &line);
    for (const std::string& value : parameter.values) {
      line += ',';
      sql_rest::AppendJsonString(value, &line);
    }
    line += ']';
  }
  return line + "]}";
}

int TestVectors(const char* path) {
  std::ifstream file(path);
  std::string line;
  int count = 0;
  const std::string before = "{\"raw\":";
  while (std::getline(file, line)) {
    if (line.compare(0, before.size(), before) != 0) continue;
    ExpectText(line, Render(sql_rest_test::ParseString(line, before.size())), "vector");
    count++;
  }
  return count;
}

// Invalid UTF-8, which the JSON of the vectors cannot contain.
void TestRawBytes() {
  for (const char* raw : {"a=\xFF", "\x80=1", "a=\xC0\xAF", "a=\xED\xA0\x80", "a=\xF4\x90\x80\x80",
                          "a=1&b=\xE2\x82", "a=\xE2\x82&b=\xAC", "a=%C3\xA9", "a=\xC3%A9"}) {
    std::vector<sql_rest::QueryParameter> parameters;
    std::string message;
    Expect(!sql_rest::ParseQueryString(raw, &parameters, &message), "raw bytes are rejected");
    ExpectText("invalid query string", message, "raw bytes");
  }
}

// Encode encodes any number in the pattern of UTF-8, also invalid code points and overlong forms.
std::string Encode(unsigned code, int length) {
  if (length == 1) return std::string(1, static_cast<char>(code));
  std::string bytes;
  for (int i = length - 1; i > 0; i--)
    bytes.insert(bytes.begin(),
                 static_cast<char>(0x80 | ((code >> (6 * (length - 1 - i))) & 0x3F)));
  const unsigned marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
  return static_cast<char>(marks[length] | (code >> (6 * (length - 1)))) + bytes;
}

// Well-formed is only the shortest encoding of a code point that is not a surrogate.
void TestUtf8() {
  int wrong = 0;
  for (unsigned code = 0; code < 0x200000; code++) {
    const int shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    const bool character = code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
    for (int length = shortest; length <= 4; length++) {
      const bool expected = character && length == shortest;
      if (sql_rest::IsUtf8(Encode(code, length)) != expected) wrong++;
    }
  }
  Expect(wrong == 0, std::to_string(wrong) + " sequences are judged wrongly");
  // At every offset within the eight bytes that are tested together, and at the end.
  for (std::size_t before = 0; before < 20; before++) {
    const std::string text(before, 'a');
    Expect(sql_rest::IsUtf8(text + "\xE2\x82\xAC" + text), "a complete character");
    Expect(!sql_rest::IsUtf8(text + "\xE2\x82" + text), "an incomplete character");
    Expect(!sql_rest::IsUtf8(text + "\xAC" + text), "a continuation byte alone");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: query_string_test query-strings.jsonl\n");
    return 99;
  }
  Expect(TestVectors(argv[1]) > 80, "the vectors were read");
  TestRawBytes();
  TestUtf8();
  return sql_rest_test::Finish("query string");
}
