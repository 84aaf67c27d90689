// Tests the value screen against test/vectors/screen.jsonl (its path is the one argument), in both forms, and at sizes
// that no vector has. Prints each failure; exits with their number, at most 99.
#include "../value_screen.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "../sql_keywords.h"
#include "expect.h"

namespace {

void Expect(bool expected, bool actual, const std::string& what) {
  sql_rest_test::Expect(expected == actual, what + ": expected " + (expected ? "1" : "0"));
}

void AppendUtf16(std::u16string& to, std::uint32_t code) {
  if (code < 0x10000) {
    to += static_cast<char16_t>(code);
    return;
  }
  code -= 0x10000;
  to += static_cast<char16_t>(0xD800 + (code >> 10));
  to += static_cast<char16_t>(0xDC00 + (code & 0x3FF));
}

// DecodeUtf8 decodes valid UTF-8.
std::u16string DecodeUtf8(const std::string& bytes) {
  std::u16string units;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i++]);
    const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    std::uint32_t code = more == 0 ? lead : lead & (0x3FU >> more);
    for (int k = 0; k < more; k++)
      code = code << 6 | (static_cast<unsigned char>(bytes[i++]) & 0x3F);
    AppendUtf16(units, code);
  }
  return units;
}

int TestVectors(const char* path) {
  std::ifstream file(path);
  std::string line;
  int count = 0;
  const std::string before = "{\"value\":";
  while (std::getline(file, line)) {
    if (line.compare(0, before.size(), before) != 0) continue;
    const std::string value = sql_rest_test::ParseString(line, before.size());
    const bool ok = line.find("\"ok\":true") != std::string::npos;
    Expect(ok, sql_rest::Accepts(value), "bytes: " + line);
    Expect(ok, sql_rest::Accepts(DecodeUtf8(value)), "units: " + line);
    count++;
  }
  return count;
}

void TestKeywords() {
  for (const std::string_view word : sql_rest::kSqlKeywords) {
    const std::string keyword(word);
    std::string upper = keyword;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    for (const std::string& refused :
         {keyword + " x", "x " + keyword, "x " + upper, "x 007" + keyword, "x." + keyword + " y"}) {
      Expect(false, sql_rest::Accepts(refused), refused);
    }
    for (const std::string& accepted :
         {keyword, upper, "x " + keyword + "_", "x _" + keyword, "x " + keyword + "0"}) {
      Expect(true, sql_rest::Accepts(accepted), accepted);
    }
  }
}

void TestSizes() {
  const std::string megabyte(1 << 20, 'a');
  Expect(true, sql_rest::Accepts(megabyte), "a megabyte of letters");
  Expect(true, sql_rest::Accepts("x " + megabyte), "a word of a megabyte");
  Expect(false, sql_rest::Accepts(megabyte + " or"), "a keyword after a megabyte");
  Expect(false, sql_rest::Accepts(megabyte + "'"), "a quote after a megabyte");
  Expect(false, sql_rest::Accepts("x " + std::string(1 << 20, '7') + "or"),
         "a megabyte of leading digits");
}

// Units whose low byte is an allowed character must not pass for it.
void TestFolding() {
  for (std::uint32_t code = 0x80; code < 0x10000; code++) {
    const char16_t unit = static_cast<char16_t>(code);
    const std::u16string_view value(&unit, 1);
    Expect(false, sql_rest::Accepts(value), "unit " + std::to_string(code));
    Expect(false, sql_rest::HasOnlyAllowed(value), "unit alone " + std::to_string(code));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: value_screen_test screen.jsonl\n");
    return 99;
  }
  const int count = TestVectors(argv[1]);
  Expect(true, count > 400, "the vectors were read");
  TestKeywords();
  TestSizes();
  TestFolding();
  return sql_rest_test::Finish("value screen", count);
}
