// The functions of the libpq that the copies of its addon have loaded, looked up at run time: this addon is built
// without libpq's headers and works with every version from 14 on. The numbers below are part of libpq's stable ABI
// (libpq-fe.h).
#pragma once

struct pg_conn;    // libpq's PGconn
struct pg_result;  // libpq's PGresult
struct pg_cancel;  // libpq's PGcancel

namespace sql_rest {

// ExecStatusType.
enum ResultStatus {
  kEmptyQuery = 0,
  kCommandOk = 1,
  kTuplesOk = 2,
  kBadResponse = 5,
  kFatalError = 7,
  kPipelineSync = 10,
  kPipelineAborted = 11,
};

struct Libpq {
  using NoticeProcessor = void (*)(void*, const char*);

  // Get looks libpq up on the first call, which must come after a copy of libpq's addon was loaded.
  static const Libpq& Get();

  // Whether every function but send_pipeline_sync was found.
  bool complete = false;

  pg_conn* (*connectdb)(const char* conninfo) = nullptr;
  void (*finish)(pg_conn*) = nullptr;
  int (*socket)(const pg_conn*) = nullptr;
  NoticeProcessor (*set_notice_processor)(pg_conn*, NoticeProcessor, void*) = nullptr;
  int (*cancel)(pg_cancel*, char* error, int size) = nullptr;
  void (*free_cancel)(pg_cancel*) = nullptr;

  int (*send_prepare)(pg_conn*, const char* name, const char* query, int count,
                      const unsigned* types) = nullptr;
  int (*send_describe_prepared)(pg_conn*, const char* name) = nullptr;
  int (*send_query_params)(pg_conn*, const char* query, int count, const unsigned* types,
                           const char* const* values, const int* lengths, const int* formats,
                           int result_format) = nullptr;
  int (*send_query_prepared)(pg_conn*, const char* name, int count, const char* const* values,
                             const int* lengths, const int* formats, int result_format) = nullptr;
  int (*pipeline_sync)(pg_conn*) = nullptr;
  // The same without a write to the socket; nullptr before libpq 17.
  int (*send_pipeline_sync)(pg_conn*) = nullptr;
  int (*flush)(pg_conn*) = nullptr;
  int (*consume_input)(pg_conn*) = nullptr;
  int (*is_busy)(pg_conn*) = nullptr;
  int (*transaction_status)(const pg_conn*) = nullptr;

  pg_result* (*get_result)(pg_conn*) = nullptr;
  void (*clear)(pg_result*) = nullptr;
  int (*result_status)(const pg_result*) = nullptr;
  char* (*result_error_field)(const pg_result*, int field) = nullptr;
  char* (*result_error_message)(const pg_result*) = nullptr;
  int (*ntuples)(const pg_result*) = nullptr;
  int (*nfields)(const pg_result*) = nullptr;
  char* (*fname)(const pg_result*, int column) = nullptr;
  unsigned (*ftype)(const pg_result*, int column) = nullptr;
  int (*fmod)(const pg_result*, int column) = nullptr;
  unsigned (*ftable)(const pg_result*, int column) = nullptr;
  int (*ftablecol)(const pg_result*, int column) = nullptr;
  int (*nparams)(const pg_result*) = nullptr;
  unsigned (*paramtype)(const pg_result*, int parameter) = nullptr;
  char* (*getvalue)(const pg_result*, int row, int column) = nullptr;
  int (*getlength)(const pg_result*, int row, int column) = nullptr;
  int (*getisnull)(const pg_result*, int row, int column) = nullptr;
  char* (*cmd_status)(pg_result*) = nullptr;
};

}  // namespace sql_rest
