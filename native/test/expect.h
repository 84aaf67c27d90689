// Shared by the C++ tests: counts of expectations and failures, and the parser of vectors.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

namespace sql_rest_test {

inline int expectations = 0;
inline int failures = 0;

// Expect prints a failure and counts it.
inline void Expect(bool holds, const std::string& what) {
  expectations++;
  if (holds) return;
  failures++;
  std::printf("not ok: %s\n", what.c_str());
}

inline void ExpectText(const std::string& expected, const std::string& actual,
                       const std::string& what) {
  Expect(expected == actual, what + ": expected " + expected + ", got " + actual);
}

// Finish prints the total, which scripts/test.mjs reads, and returns the exit status: the number of failures, at most
// 99. `cases` is the total when there are several expectations for each case.
inline int Finish(const char* what, int cases = expectations) {
  std::printf("%s: %d vectors, %d failures\n", what, cases, failures);
  return std::min(failures, 99);
}

// ParseString parses the JSON string whose opening quote is at `at`. The vectors escape only ASCII characters.
inline std::string ParseString(const std::string& line, std::size_t at) {
  std::string text;
  for (std::size_t i = at + 1; line[i] != '"'; i++) {
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    const char escape = line[++i];
    switch (escape) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'u':
        text += static_cast<char>(std::stoi(line.substr(i + 1, 4), nullptr, 16));
        i += 4;
        break;
      default:
        text += escape;
    }
  }
  return text;
}

}  // namespace sql_rest_test
