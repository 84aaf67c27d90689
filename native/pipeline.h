// Pipeline, for JavaScript: statements and their results on one libpq connection in pipeline mode, a call for what
// would be a dozen. Never blocks. What it is not: the owner of the connection, which libpq's addon made and frees.
#pragma once

#include <napi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "connections.h"
#include "large_value.h"

namespace sql_rest {

// new Pipeline(fd, limit): the connection of that socket, made on this thread; results of more than `limit` bytes are
// reported instead of read. Throws Error when there is no such connection or it has a pipeline. Methods:
//   prepare(name, sql): boolean         a Parse, in the segment of the statement sent next
//   precede(name, sql, values): boolean a statement, in the segment of the statement sent next; nobody gets its result
//   readOnly(): boolean                 a transaction that can only read around the statement sent next and what precedes
//                                       it: it begins their segment, and is rolled back behind the statement. After a
//                                       failure it is still open, for what would end it was not run
//   send(name, sql, values, one): boolean  a segment: the statement (prepared under a name unless that is '') and its
//                                       sync; `one` tells that its result is a single value
//   flush(): number                     0 all is sent, 1 the socket is full, -1 the connection is lost
//   receive(): outcome[]                reads what has come; an outcome for each segment that is complete, in order
//   close(): void                       forgets the connection; every other method throws Error after that
// Once one of the first four gave false, or threw behind another of its segment, they send nothing more: no statement
// goes without what stands before it.
// Outcomes: a string (`one`: the value, otherwise the command tag when there is no more), null (an SQL NULL), a
// LargeValue, or an object with one or more of
//   tag, columns, rows                  rows of cells, each a string or null
//   failure                             an object of PostgreSQL's error fields, by their names in libpq
//   before                              how many results before that of the statement did not come, if any: 1 is the
//                                       one right before it
//   tooLarge, copy                      true
//   transaction                         true: one is open after the last segment
//   lost                                true: the connection is lost; the last outcome, and that of no segment's end
class Pipeline final : public Napi::ObjectWrap<Pipeline>, public ConnectionUser {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit Pipeline(const Napi::CallbackInfo& info);
  ~Pipeline() override;

  void ConnectionGone() noexcept override { connection_ = nullptr; }

 private:
  // Segment is what was sent up to a sync.
  struct Segment {
    bool one;
    // Results that are still to come before that of its statement.
    std::uint32_t before;
  };

  Napi::Value Prepare(const Napi::CallbackInfo& info);
  Napi::Value Precede(const Napi::CallbackInfo& info);
  Napi::Value ReadOnly(const Napi::CallbackInfo& info);
  Napi::Value Send(const Napi::CallbackInfo& info);
  Napi::Value Flush(const Napi::CallbackInfo& info);
  Napi::Value Receive(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  bool IsOpen(Napi::Env env);
  // Execute sends a statement with its values, by name unless that is ''. False when it could not, perhaps with an
  // exception.
  bool Execute(napi_env env, napi_value name, napi_value sql, napi_value values);
  // Sent notes whether something was sent, and gives that to JavaScript.
  Napi::Value Sent(Napi::Env env, bool sent);
  // Plain sends a statement without values. False when it could not.
  bool Plain(const char* sql);
  void Cork();
  bool SetCork(int on);
  // Text is a string's UTF-8, valid until the next call; nullptr with an exception when it is none.
  const char* Text(napi_env env, napi_value string);
  // Values reads the parameters; false with an exception when they are none.
  bool Values(napi_env env, napi_value array);
  // Keep notes one result of the segment at the head. False when nothing can follow it.
  bool Keep(ResultHandle result);
  static void SetBefore(Napi::Env env, Napi::Object outcome, const Segment& segment);
  // Outcome ends the segment at the head.
  Napi::Value Outcome(Napi::Env env);

  pg_conn* connection_ = nullptr;
  std::size_t limit_ = 0;
  bool corked_ = false;
  bool can_cork_ = true;
  // What was sent of the next segment.
  std::uint32_t before_ = 0;
  // It ends with a ROLLBACK.
  bool read_only_ = false;
  // Something was not sent that others rely on.
  bool broken_ = false;
  std::deque<Segment> segments_;
  // Of the segment at the head: its result, or why it failed.
  ResultHandle result_;
  ResultHandle failure_;
  bool copy_ = false;
  // Reused for the texts of one call.
  std::vector<char> text_;
  std::string sql_;
  std::vector<char> texts_;
  std::vector<std::size_t> begins_;
  std::vector<const char*> values_;
};

}  // namespace sql_rest
