// Exceptions out of handlers of every form, and a handler that ends its thread.
#include <pthread.h>

#include <stdexcept>
#include <string>

#include "../../include/service_plugin.h"

SERVICE_PLUGIN

SERVICE_HANDLER const char* GETStandardHandler(void) { throw std::runtime_error("out of cheese"); }

SERVICE_HANDLER const char* GETNumberHandler(void) { throw 42; }

SERVICE_HANDLER const char* GETLongHandler(void) {
  throw std::runtime_error(std::string(100000, 'w'));
}

SERVICE_HANDLER service_answer GETStatusHandler(void) { throw std::runtime_error("status"); }
SERVICE_STATUS_FORM(GETStatusHandler)

SERVICE_HANDLER void GETResponseHandler(const service_request*, service_response* response) {
  service_add_header(response, "Content-Type", "text/plain");
  service_write(response, "half", 4);
  throw std::runtime_error("response");
}
SERVICE_RESPONSE_FORM(GETResponseHandler)

SERVICE_HANDLER const char* GETExitHandler(void) { pthread_exit(nullptr); }

SERVICE_HANDLER const char* GETCountHandler(void) {
  return HTTPVars.count == 2 && URLQuery.count == 0 ? "\"fine\"" : "\"wrong\"";
}
