#include "libpq.h"

#include <dlfcn.h>

namespace sql_rest {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

Libpq Load() {
  Libpq pq;
  void* library = dlopen("libpq.so.5", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return pq;
  Find(library, "PQsendPipelineSync", &pq.send_pipeline_sync);
  pq.complete =
      Find(library, "PQconnectdb", &pq.connectdb) && Find(library, "PQfinish", &pq.finish) &&
      Find(library, "PQsocket", &pq.socket) &&
      Find(library, "PQsetNoticeProcessor", &pq.set_notice_processor) &&
      Find(library, "PQcancel", &pq.cancel) && Find(library, "PQfreeCancel", &pq.free_cancel) &&
      Find(library, "PQsendPrepare", &pq.send_prepare) &&
      Find(library, "PQsendDescribePrepared", &pq.send_describe_prepared) &&
      Find(library, "PQsendQueryParams", &pq.send_query_params) &&
      Find(library, "PQsendQueryPrepared", &pq.send_query_prepared) &&
      Find(library, "PQpipelineSync", &pq.pipeline_sync) && Find(library, "PQflush", &pq.flush) &&
      Find(library, "PQconsumeInput", &pq.consume_input) &&
      Find(library, "PQisBusy", &pq.is_busy) &&
      Find(library, "PQtransactionStatus", &pq.transaction_status) &&
      Find(library, "PQgetResult", &pq.get_result) && Find(library, "PQclear", &pq.clear) &&
      Find(library, "PQresultStatus", &pq.result_status) &&
      Find(library, "PQresultErrorField", &pq.result_error_field) &&
      Find(library, "PQresultErrorMessage", &pq.result_error_message) &&
      Find(library, "PQntuples", &pq.ntuples) && Find(library, "PQnfields", &pq.nfields) &&
      Find(library, "PQfname", &pq.fname) && Find(library, "PQftype", &pq.ftype) &&
      Find(library, "PQfmod", &pq.fmod) && Find(library, "PQftable", &pq.ftable) &&
      Find(library, "PQftablecol", &pq.ftablecol) && Find(library, "PQnparams", &pq.nparams) &&
      Find(library, "PQparamtype", &pq.paramtype) && Find(library, "PQgetvalue", &pq.getvalue) &&
      Find(library, "PQgetlength", &pq.getlength) && Find(library, "PQgetisnull", &pq.getisnull) &&
      Find(library, "PQcmdStatus", &pq.cmd_status);
  return pq;
}

}  // namespace

const Libpq& Libpq::Get() {
  // Never unloaded, because copies of libpq's addon are loaded and unloaded with their threads.
  static const Libpq libpq = Load();
  return libpq;
}

}  // namespace sql_rest
