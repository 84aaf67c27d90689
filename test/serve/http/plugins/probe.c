/* A plugin that does what tests ask for by the query string. */
#include <service_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

SERVICE_PLUGIN

static SERVICE_THREAD_LOCAL char text[256];

/* The value of a parameter of this call, "" when it was not sent. */
static const char* param(const char* name) {
  const service_parameter* found = service_param(&URLQuery, name);
  return found == NULL ? "" : found->values[0].data;
}

static void pause_for(long ms) {
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0) continue;
}

/* The string form, by several methods. */
SERVICE_HANDLER const char* GETHelloHandler(void) { return "{\"msg\":\"hello\",\"n\":[1,2]}"; }
SERVICE_HANDLER const char* HEADHelloHandler(void) { return "{\"msg\":\"head\"}"; }
SERVICE_HANDLER const char* OPTIONSHelloHandler(void) { return "{\"msg\":\"options\"}"; }
SERVICE_HANDLER const char* PROPFINDHelloHandler(void) { return "{\"msg\":\"propfind\"}"; }
SERVICE_HANDLER const char* UPDATEREDIRECTREFLongestHandler(void) { return "{}"; }
SERVICE_HANDLER const char* HEADNothingHandler(void) { return ""; }
SERVICE_HANDLER const char* GETNullHandler(void) { return NULL; }
SERVICE_HANDLER const char* GETNoUtf8Handler(void) { return "\xff"; }

/* ?text=TEXT */
SERVICE_HANDLER const char* GETTextHandler(void) {
  snprintf(text, sizeof text, "%s", param("text"));
  return text;
}

/* ?ms=MILLISECONDS */
SERVICE_HANDLER const char* GETSleepHandler(void) {
  pause_for(atol(param("ms")));
  return "\"slept\"";
}

SERVICE_HANDLER const char* GETAbortHandler(void) { abort(); }

SERVICE_HANDLER const char* GETExitHandler(void) {
  exit(0);
  return "";
}

SERVICE_HANDLER const char* GETCrashHandler(void) {
  volatile int* nowhere = NULL;
  *nowhere = 1;
  return "";
}

/* ?status=STATUS */
SERVICE_HANDLER service_answer GETStatusHandler(void) {
  const service_answer answer = {"{\"a\":1}", atoi(param("status"))};
  return answer;
}
SERVICE_STATUS_FORM(GETStatusHandler)
SERVICE_HANDLER service_answer HEADStatusHandler(void) { return GETStatusHandler(); }
SERVICE_STATUS_FORM(HEADStatusHandler)

/* A form that does not exist. */
SERVICE_HANDLER const char* GETUndeclaredHandler(void) { return "{}"; }
SERVICE_DECLARE_FORM(GETUndeclaredHandler, 9u)

/* ?name=NAME&value=VALUE, both as often as wanted, &status=STATUS: an answer with these headers. */
SERVICE_HANDLER void GETHeadersHandler(const service_request* request, service_response* response) {
  const service_parameter* names = service_param(&URLQuery, "name");
  const service_parameter* values = service_param(&URLQuery, "value");
  size_t i;
  (void)request;
  if (*param("status") != 0) service_set_status(response, atoi(param("status")));
  for (i = 0; names != NULL && values != NULL && i < names->count && i < values->count; i++)
    service_add_header(response, names->values[i].data, values->values[i].data);
  service_write(response, "{\"a\":1}", 7);
}
SERVICE_RESPONSE_FORM(GETHeadersHandler)

/* ?name=A%0D%0AB is not what reaches this one: a header with a line break that the plugin itself makes. */
SERVICE_HANDLER void GETInjectHandler(const service_request* request, service_response* response) {
  (void)request;
  service_add_header(response, "X-A", "a\r\nX-B: b");
  service_write(response, "{}", 2);
}
SERVICE_RESPONSE_FORM(GETInjectHandler)

/* ?size=BYTES of x. */
SERVICE_HANDLER void GETLargeHandler(const service_request* request, service_response* response) {
  char block[65536];
  size_t left = (size_t)atol(param("size"));
  (void)request;
  memset(block, 'x', sizeof block);
  service_add_header(response, "Content-Type", "text/plain");
  while (left > 0) {
    const size_t part = left < sizeof block ? left : sizeof block;
    if (!service_write(response, block, part)) return;
    left -= part;
  }
}
SERVICE_RESPONSE_FORM(GETLargeHandler)

/* JSON of 200 KB that would be XML of 200 MB. */
SERVICE_HANDLER void GETMuchXmlHandler(const service_request* request, service_response* response) {
  char name[1000];
  int i;
  (void)request;
  memset(name, 'k', sizeof name);
  service_write(response, "{\"", 2);
  service_write(response, name, sizeof name);
  service_write(response, "\":[1", 4);
  for (i = 1; i < 100000; i++) service_write(response, ",1", 2);
  service_write(response, "]}", 2);
}
SERVICE_RESPONSE_FORM(GETMuchXmlHandler)

static void line(service_response* response, const char* name, service_text value) {
  service_write(response, name, strlen(name));
  service_write(response, "=", 1);
  service_write(response, value.data, value.length);
  service_write(response, "\n", 1);
}

/* What it was given, a line each, then an empty one and the body. */
SERVICE_HANDLER void POSTEchoHandler(const service_request* request, service_response* response) {
  size_t i;
  service_add_header(response, "Content-Type", "application/octet-stream");
  line(response, "method", request->method);
  line(response, "path", request->path);
  line(response, "query", request->query);
  line(response, "request_id", request->request_id);
  line(response, "user", request->user);
  line(response, "claims", request->claims);
  for (i = 0; i < HTTPVars.count; i++)
    line(response, HTTPVars.items[i].name.data, HTTPVars.items[i].value);
  for (i = 0; i < request->header_count; i++)
    line(response, request->headers[i].name.data, request->headers[i].value);
  service_write(response, "\n", 1);
  service_write(response, request->body, request->body_length);
}
SERVICE_RESPONSE_FORM(POSTEchoHandler)
SERVICE_HANDLER void GETEchoHandler(const service_request* request, service_response* response) {
  POSTEchoHandler(request, response);
}
SERVICE_RESPONSE_FORM(GETEchoHandler)
