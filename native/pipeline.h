// Pipeline, for JavaScript: statements and their results on one libpq connection in pipeline mode, with one call where
// libpq's API needs a dozen. Never blocks. libpq's addon opens and frees the connection.
#pragma once

#include <napi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "connections.h"
#include "large_value.h"

namespace sql_rest {

// new Pipeline(fd, limit): see src/native/pipeline.ts for methods, outcomes and errors. A segment is a sequence of
// statements up to a sync. Once part of a segment could not be sent, nothing more is sent, because a statement must not
// run without those that precede it.
class Pipeline final : public Napi::ObjectWrap<Pipeline>, public ConnectionUser {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit Pipeline(const Napi::CallbackInfo& info);
  ~Pipeline() override;

  void ConnectionFreed() noexcept override { connection_ = nullptr; }

 private:
  // What becomes of a segment's result, see src/native/pipeline.ts.
  enum Form : std::int32_t { kRows, kValue, kBody, kDescription };

  struct Segment {
    Form form;
    // Results before its statement's own that have not arrived yet.
    std::uint32_t preceding;
    // The last so many of them are of statements whose command tags are reported, and of what is sent with these.
    std::uint32_t reported;
  };

  Napi::Value Prepare(const Napi::CallbackInfo& info);
  Napi::Value Precede(const Napi::CallbackInfo& info);
  Napi::Value ReadOnly(const Napi::CallbackInfo& info);
  Napi::Value Send(const Napi::CallbackInfo& info);
  Napi::Value Describe(const Napi::CallbackInfo& info);
  Napi::Value Flush(const Napi::CallbackInfo& info);
  Napi::Value Receive(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  bool IsOpen(Napi::Env env);
  // Execute sends a statement with its values, prepared under a name unless that is ''. False when it fails, possibly
  // with an exception.
  bool Execute(napi_env env, napi_value name, napi_value sql, napi_value values);
  // CompleteSegment adds the segment of the statement that was sent last; false when it fails.
  bool CompleteSegment(Form form);
  // SendResult records whether a part of a segment was sent, and converts that to JavaScript.
  Napi::Value SendResult(Napi::Env env, bool sent);
  // SendSql sends a statement without values; false when it fails.
  bool SendSql(const char* sql);
  // BeginWrite is called before anything is written: it writes the sync of the segment before. False when it fails.
  bool BeginWrite();
  bool Sync();
  bool SetCork(int on);
  // Text returns a string as UTF-8, valid until the next call; nullptr, with an exception, when it is not a string.
  const char* Text(napi_env env, napi_value string);
  // Values reads the parameters; false, with an exception, when they are invalid.
  bool Values(napi_env env, napi_value array);
  // CountPreceding counts a statement that was sent before its segment's own.
  void CountPreceding(bool reports);
  // AddTag adds the command tag of a result that is dropped, unless it counts rows.
  void AddTag(pg_result* result);
  // AddResult adds a result to the first segment. False when no result can follow it.
  bool AddResult(ResultHandle result);
  static void SetPreceding(Napi::Env env, Napi::Object outcome, const Segment& segment);
  // Value returns the only cell of a result, `length` bytes.
  static Napi::Value Value(Napi::Env env, ResultHandle result, std::size_t length, Form form);
  // EndSegment removes the first segment and returns its outcome. Sets the number of rows in the JSON of a single value.
  Napi::Value EndSegment(Napi::Env env, std::size_t* rows);

  pg_conn* connection_ = nullptr;
  std::size_t limit_ = 0;
  // Whether the last segment has no sync yet: a single one is sent without TCP_CORK.
  bool unsynced_ = false;
  bool corked_ = false;
  bool can_cork_ = true;
  // Statements sent of the next segment, and since the first whose command tag is reported.
  std::uint32_t preceding_ = 0;
  std::uint32_t reported_ = 0;
  // Whether the next segment ends with a ROLLBACK.
  bool read_only_ = false;
  // Whether part of a segment could not be sent.
  bool broken_ = false;
  std::deque<Segment> segments_;
  // The result, or the error, of the first segment.
  ResultHandle result_;
  ResultHandle failure_;
  bool copy_ = false;
  // The command tags reported of the first segment.
  std::vector<std::string> tags_;
  // Buffers for the texts of a call, reused.
  std::vector<char> text_;
  std::string sql_;
  std::vector<char> texts_;
  std::vector<std::size_t> begins_;
  std::vector<const char*> values_;
  // Of all values, where some are bytes: lengths, and 1 for the binary format.
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace sql_rest
