/*
 * The plugin of the benchmark: a handler that greets the caller, whose name must not need escapes in JSON, and a handler that
 * sleeps for 100 ms.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "service_plugin.h"

SERVICE_PLUGIN

SERVICE_HANDLER const char* GETHelloHandler(void) {
  static SERVICE_THREAD_LOCAL char answer[128];
  const service_parameter* name = service_param(&URLQuery, "name");
  snprintf(answer, sizeof answer, "{\"msg\":\"Hello, %s!\"}", name ? name->values[0].data : "you");
  return answer;
}

SERVICE_HANDLER const char* GETSleepHandler(void) {
  const struct timespec pause = {0, 100 * 1000 * 1000};
  nanosleep(&pause, NULL);
  return "{\"slept\":100}";
}
