// What the C++ tests share: the count of what was tried and what failed, and the lines of vectors.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

namespace sql_rest_test {

inline int tried = 0;
inline int failures = 0;

// Expect counts, and prints what does not hold.
inline void Expect(bool holds, const std::string& what) {
  tried++;
  if (holds) return;
  failures++;
  std::printf("not ok: %s\n", what.c_str());
}

inline void ExpectText(const std::string& expected, const std::string& actual,
                       const std::string& what) {
  Expect(expected == actual, what + ": expected " + expected + ", got " + actual);
}

// Finish prints the total (of cases, where several things are expected of each), which scripts/test.mjs reads, and gives
// the exit status: the failures, at most 99.
inline int Finish(const char* what, int cases = tried) {
  std::printf("%s: %d vectors, %d failures\n", what, cases, failures);
  return std::min(failures, 99);
}

// ParseString reads the JSON string that begins at its opening quote. The vectors escape no character beyond ASCII.
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
