// Tests both overloads of the value screen with test/vectors/screen.jsonl (the argument is its path), and with sizes
// that the vectors do not have.
#include "../value_screen.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "../fuzz/value_screen_reference.h"
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

// AcceptsExactly screens a copy with nothing behind it, so that a read past its end is seen by AddressSanitizer.
template <typename Unit>
bool AcceptsExactly(const std::basic_string<Unit>& value) {
  const std::vector<Unit> units(value.begin(), value.end());
  return sql_rest::Accepts(std::basic_string_view<Unit>(units.data(), units.size()));
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
    Expect(ok, AcceptsExactly(value), "bytes: " + line);
    Expect(ok, AcceptsExactly(DecodeUtf8(value)), "units: " + line);
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
    for (const std::string& rejected :
         {keyword + " x", "x " + keyword, "x " + upper, "x 007" + keyword, "x." + keyword + " y"}) {
      Expect(false, sql_rest::Accepts(rejected), rejected);
    }
    for (const std::string& accepted :
         {keyword, upper, "x " + keyword + "_", "x _" + keyword, "x " + keyword + "0"}) {
      Expect(true, sql_rest::Accepts(accepted), accepted);
    }
  }
}

// Texts that some version of PostgreSQL reads as a number and a keyword, and texts that no version reads so.
void TestNumbers() {
  for (const char* number :
       {"1",    "007",   "1e0",   "0e0",    "1E5",   "1.5",       ".5",     "1.e5",    "1.E5",
        ".5e1", "1.5e1", "1e-5",  "1e-5e5", "1_0",   "1_000e1_0", "1_0.e5", "1.0_1e1", "0x1",
        "0XfF", "0x_1",  "0x1_f", "0o7",    "0O_17", "0b1",       "0B1_0",  "0xe",     "0xe5"}) {
    const std::string value = std::string(number) + "or true";
    Expect(false, sql_rest::Accepts(value), value);
    Expect(false, sql_rest::Accepts("x = " + value), "after others: " + value);
  }
  for (const char* accepted :
       {"4door sedan", "2nd order_", "1eor x",    "1_or x",     "1__0or x", "a.e5or x", "e5or x",
        "e5.e or_ x",  "0o8or x",    "0b2or x",   "0xor x",     "0xfand x", "x0x1or x", "a1e0or x",
        "1..e5or x",   "1.xe5or x",  "1e5e5or x", "0x1e5_or x", "1e0or",    "0x1or"}) {
    Expect(true, sql_rest::Accepts(accepted), accepted);
  }
}

// Every text of up to five characters before a keyword.
int TestPrefixes() {
  const std::string characters = "018_.-aexob ";
  int count = 0;
  for (std::size_t size = 0; size <= 5; size++) {
    std::string prefix(size, characters[0]);
    for (bool more = true; more; count++) {
      const std::string value = prefix + "or x";
      const bool accepted = sql_rest::Accepts(value);
      if (accepted != sql_rest_test::Reference(value)) Expect(!accepted, accepted, value);
      if (accepted && sql_rest_test::ShowsKeyword(value)) Expect(false, accepted, value);
      more = false;
      for (char& c : prefix) {
        const std::size_t next = (characters.find(c) + 1) % characters.size();
        c = characters[next];
        more = next > 0;
        if (more) break;
      }
    }
  }
  return count;
}

void TestSizes() {
  const std::string megabyte(1 << 20, 'a');
  Expect(true, sql_rest::Accepts(megabyte), "a megabyte of letters");
  Expect(true, sql_rest::Accepts("x " + megabyte), "a word of a megabyte");
  Expect(false, sql_rest::Accepts(megabyte + " or"), "a keyword after a megabyte");
  Expect(false, sql_rest::Accepts(megabyte + "'"), "a quote after a megabyte");
  Expect(false, sql_rest::Accepts("x " + std::string(1 << 20, '7') + "or"),
         "a megabyte of leading digits");
  Expect(false, sql_rest::Accepts("x 0x" + std::string(1 << 20, '7') + "or"), "in hexadecimal");
}

// Units whose low byte is an allowed character are rejected.
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
  TestNumbers();
  Expect(true, TestPrefixes() > 250'000, "the prefixes were tried");
  TestSizes();
  TestFolding();
  return sql_rest_test::Finish("value screen", count);
}
