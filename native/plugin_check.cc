#include "plugin_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "json_text.h"
#include "plugin_library.h"
#include "plugin_manifest.h"

namespace sql_rest {

namespace {

// ReadFile reads a regular file; false, with the problem, when it cannot.
bool ReadFile(const std::string& path, std::vector<char>* bytes, std::string* problem) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  bool ok = fd >= 0 && ::fstat(fd, &status) == 0;
  if (ok && !S_ISREG(status.st_mode)) {
    *problem = "not a regular file";
    ::close(fd);
    return false;
  }
  if (ok) bytes->resize(static_cast<std::size_t>(status.st_size));
  for (std::size_t read = 0; ok && read < bytes->size();) {
    const ssize_t some = ::read(fd, bytes->data() + read, bytes->size() - read);
    if (some == 0) errno = EIO;
    ok = some > 0 || (some < 0 && errno == EINTR);
    if (some > 0) read += static_cast<std::size_t>(some);
  }
  if (!ok) *problem = std::string("cannot be read: ") + std::strerror(errno);
  if (fd >= 0) ::close(fd);
  return ok;
}

// NameOf returns the plugin name of a file: without folder and `.so`.
std::string NameOf(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t suffix = name.rfind(".so");
  if (suffix != std::string::npos && suffix + 3 == name.size()) name.resize(suffix);
  return name;
}

// WithoutName removes the library's name at the beginning of a problem: the description names the file already.
std::string WithoutName(const std::string& problem, const std::string& name) {
  const std::string prefix = name + ".so: ";
  return problem.compare(0, prefix.size(), prefix) == 0 ? problem.substr(prefix.size()) : problem;
}

const char* FormName(std::uint32_t form) noexcept {
  if (form == SERVICE_FORM_STATUS) return "status";
  return form == SERVICE_FORM_RESPONSE ? "response" : "string";
}

void AppendMember(std::string_view name, std::string_view value, std::string* json) {
  if (json->back() != '{') *json += ',';
  AppendJsonString(name, json);
  *json += ':';
  AppendJsonString(value, json);
}

std::string Describe(const std::string& path, const PluginManifest& manifest,
                     const std::vector<std::string>& problems) {
  std::string json = "{";
  AppendMember("file", path, &json);
  if (manifest.abi) {
    AppendMember("abi", AbiName(*manifest.abi), &json);
  } else {
    json += ",\"abi\":null";
  }
  json += ",\"handlers\":[";
  const char* comma = "";
  for (const PluginFunction& function : manifest.functions) {
    if (!function.HasKnownForm()) continue;
    json.append(comma).append("{");
    AppendMember("method", function.method, &json);
    AppendMember("function", function.function, &json);
    AppendMember("form", FormName(function.form), &json);
    AppendMember("symbol", function.symbol, &json);
    json += '}';
    comma = ",";
  }
  json += "],\"problems\":[";
  comma = "";
  for (const std::string& problem : problems) {
    json += comma;
    AppendJsonString(problem, &json);
    comma = ",";
  }
  return json + "]}";
}

}  // namespace

std::string DescribePlugin(const std::string& path, bool* usable) {
  std::vector<char> bytes;
  PluginManifest manifest;
  std::vector<std::string> problems;
  std::string problem;
  if (!ReadFile(path, &bytes, &problem) ||
      !ReadPluginManifest({bytes.data(), bytes.size()}, &manifest, &problem)) {
    problems.push_back(problem);
  } else {
    std::string message;
    // Never unloaded: its destructors must not run.
    static std::vector<std::unique_ptr<PluginLibrary>> loaded;
    const std::string name = NameOf(path);
    loaded.push_back(PluginLibrary::Load(name, bytes, &message, &problem));
    if (loaded.back() == nullptr) problems.push_back(WithoutName(problem, name));
    problems.insert(problems.end(), manifest.problems.begin(), manifest.problems.end());
    if (manifest.functions.empty()) problems.emplace_back("it has no handlers");
  }
  *usable = problems.empty();
  return Describe(path, manifest, problems);
}

int CheckPlugin(const char* path) {
  // Output of the library itself goes to standard error, so that standard output is JSON only.
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  bool usable = false;
  const std::string json = DescribePlugin(path, &usable) + "\n";
  for (std::size_t written = 0; written < json.size();) {
    const ssize_t some = ::write(output, json.data() + written, json.size() - written);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return 1;
    written += static_cast<std::size_t>(some);
  }
  ::close(output);
  return usable ? 0 : 1;
}

}  // namespace sql_rest
