/* Handlers of every form, with valid and invalid responses. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../include/service_plugin.h"

SERVICE_PLUGIN

static SERVICE_THREAD_LOCAL char text[4096];
static long released = 0;

static void release(void* body) {
  (void)body;
  __atomic_add_fetch(&released, 1, __ATOMIC_RELAXED);
}
SERVICE_PLUGIN_RELEASE(release)

SERVICE_HANDLER const char* GETReleasedHandler(void) {
  snprintf(text, sizeof text, "%ld", __atomic_load_n(&released, __ATOMIC_RELAXED));
  return text;
}

/* The contents of HTTPVars and URLQuery: name=value, and name=value|value. */
SERVICE_HANDLER const char* GETEchoHandler(void) {
  size_t at = 0, i, k;
  for (i = 0; i < HTTPVars.count; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s=%s;", HTTPVars.items[i].name.data,
                           HTTPVars.items[i].value.data);
  for (i = 0; i < URLQuery.count; i++) {
    const service_parameter* parameter = &URLQuery.items[i];
    at += (size_t)snprintf(text + at, sizeof text - at, "%s=", parameter->name.data);
    for (k = 0; k < parameter->count; k++)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", k == 0 ? "" : "|",
                             parameter->values[k].data);
    at += (size_t)snprintf(text + at, sizeof text - at, ";");
  }
  return text;
}

/* Reads HTTPVars and URLQuery twice with some time between, which shows values of another thread. */
SERVICE_HANDLER const char* GETTwiceHandler(void) {
  const service_parameter* n = service_param(&URLQuery, "n");
  const char* func = service_var(&HTTPVars, "func");
  const char* first = n == NULL ? "none" : n->values[0].data;
  volatile int spin;
  for (spin = 0; spin < 200; spin++) {
  }
  snprintf(text, sizeof text, "%s %s %s %s", func, first, HTTPVars.items[0].value.data,
           URLQuery.count == 0 ? "none" : URLQuery.items[0].values[0].data);
  return text;
}

/* Sleeps for n milliseconds. */
SERVICE_HANDLER const char* GETLateHandler(void) {
  const long n = atol(service_param(&URLQuery, "n")->values[0].data);
  const struct timespec time = {n / 1000, n % 1000 * 1000000};
  nanosleep(&time, NULL);
  return "\"late\"";
}

SERVICE_HANDLER const char* POSTEchoHandler(void) { return "\"posted\""; }
SERVICE_HANDLER const char* PUTOnlyHandler(void) { return "\"put\""; }
SERVICE_HANDLER const char* DELETEOnlyHandler(void) { return "\"deleted\""; }
SERVICE_HANDLER const char* GETEmptyHandler(void) { return ""; }
SERVICE_HANDLER const char* GETNullHandler(void) { return NULL; }
SERVICE_HANDLER const char* GETLatinHandler(void) { return "caf\xE9"; }
SERVICE_HANDLER const char* GETSurrogateHandler(void) { return "\xED\xA0\x80"; }
SERVICE_HANDLER const char* GETUnicodeHandler(void) { return "\xC3\xA9\xF0\x9F\x98\x80"; }

/* Returns n bytes. */
SERVICE_HANDLER const char* GETLongHandler(void) {
  const service_parameter* n = service_param(&URLQuery, "n");
  const size_t length = (size_t)atoi(n->values[0].data);
  memset(text, 'x', length);
  text[length] = '\0';
  return text;
}

/* Returns a string without a NUL, in exactly n bytes of memory. */
SERVICE_HANDLER const char* GETEndlessHandler(void) {
  const service_parameter* n = service_param(&URLQuery, "n");
  const size_t length = (size_t)atoi(n->values[0].data);
  static char* kept = NULL;
  free(kept);
  kept = malloc(length);
  memset(kept, 'x', length);
  return kept;
}

SERVICE_HANDLER service_answer GETStatusHandler(void) {
  const service_parameter* status = service_param(&URLQuery, "status");
  service_answer answer = {"\"status\"", 0};
  answer.status = atoi(status->values[0].data);
  return answer;
}
SERVICE_STATUS_FORM(GETStatusHandler)

SERVICE_HANDLER service_answer GETNullStatusHandler(void) {
  const service_answer answer = {NULL, 200};
  return answer;
}
SERVICE_STATUS_FORM(GETNullStatusHandler)

/* The request, one line for each member. */
SERVICE_HANDLER void POSTRequestHandler(const service_request* request,
                                        service_response* response) {
  size_t i;
  snprintf(text, sizeof text, "%s\n%s\n%s\n%s\n%s\n%s\n", request->method.data, request->path.data,
           request->query.data, request->request_id.data, request->user.data, request->claims.data);
  service_write(response, text, strlen(text));
  for (i = 0; i < request->header_count; i++) {
    snprintf(text, sizeof text, "%s: %s\n", request->headers[i].name.data,
             request->headers[i].value.data);
    service_write(response, text, strlen(text));
  }
  service_write(response, request->body, request->body_length);
  service_set_status(response, 201);
  service_add_header(response, "Content-Type", "text/plain");
  service_add_header(response, "X-Found", service_header(request, "x-one"));
}
SERVICE_RESPONSE_FORM(POSTRequestHandler)

/* Sets the header `name` to `value`. */
SERVICE_HANDLER void GETHeaderHandler(const service_request* request, service_response* response) {
  const service_parameter* name = service_param(&URLQuery, "name");
  const service_parameter* value = service_param(&URLQuery, "value");
  (void)request;
  if (service_add_header(response, name->values[0].data, value->values[0].data) == 0 &&
      service_write(response, "more", 4) == 1)
    abort(); /* everything after a rejection must be rejected */
}
SERVICE_RESPONSE_FORM(GETHeaderHandler)

/* Calls that no query string can describe, by number. */
SERVICE_HANDLER void GETOddHandler(const service_request* request, service_response* response) {
  static const char bytes[] = {'a', '\0', '\xFF', '\x01'};
  static char large[70000];
  int i;
  (void)request;
  memset(large, 'h', sizeof large - 1);
  switch (atoi(service_param(&URLQuery, "case")->values[0].data)) {
    case 0: /* no call */
      break;
    case 1:
      service_write(response, bytes, sizeof bytes);
      break;
    case 2:
      service_add_header(response, NULL, "x");
      break;
    case 3:
      service_add_header(response, "X-A", NULL);
      break;
    case 4:
      service_write(response, NULL, 1);
      break;
    case 5:
      service_write(response, NULL, 0);
      break;
    case 6:
      service_write(response, bytes, (size_t)-1);
      break;
    case 7: /* above the limit */
      for (i = 0; i < 257; i++) service_write(response, bytes, sizeof bytes);
      break;
    case 8: /* exactly the limit */
      for (i = 0; i < 256; i++) service_write(response, bytes, sizeof bytes);
      break;
    case 9:
      service_add_header(response, "X-Large", large);
      break;
    case 10:
      service_add_header(response, large, "x");
      break;
    case 11:
      for (i = 0; i < 10000; i++) service_add_header(response, "X-A", "b");
      break;
    case 12:
      service_set_status(response, 600);
      service_set_status(response, 200);
      break;
    case 13:
      service_set_status(response, 404);
      service_set_status(response, 100);
      break;
    case 14:
      service_add_header(response, "Content-Type", "text/plain");
      service_add_header(response, "content-type", "text/html");
      break;
    case 15:
      service_add_header(response, "Set-Cookie", "a=1");
      service_add_header(response, "Set-Cookie", "b=2");
      break;
  }
}
SERVICE_RESPONSE_FORM(GETOddHandler)
