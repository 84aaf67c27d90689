/*
 * The plugin hello in C. `make` builds hello.so; put it into the folder that pluginpath names, and request
 *
 *     curl 'http://127.0.0.1:3000/_PLUGIN/hello/Hello?name=Ann'
 *
 * The response is the result of GETHelloHandler. service_plugin.h documents the input and the duties of handlers.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "service_plugin.h"

SERVICE_PLUGIN
/* open_memstream allocates the bodies below: the service passes each of them to free. */
SERVICE_PLUGIN_RELEASE(free)

static void quote(FILE* out, service_text text) {
  size_t i;
  putc('"', out);
  for (i = 0; i < text.length; i++) {
    unsigned char byte = (unsigned char)text.data[i];
    if (byte < ' ')
      fprintf(out, "\\u%04x", byte);
    else if (byte == '"' || byte == '\\')
      fprintf(out, "\\%c", byte);
    else
      putc(byte, out);
  }
  putc('"', out);
}

/* The request as JSON; NULL if there is not enough memory. */
static char* echo(void) {
  char* json = NULL;
  size_t length, i, j;
  FILE* out = open_memstream(&json, &length);
  if (out == NULL) return NULL;
  fputs("{\"http_vars\":{", out);
  for (i = 0; i < HTTPVars.count; i++) {
    if (i > 0) putc(',', out);
    quote(out, HTTPVars.items[i].name);
    putc(':', out);
    quote(out, HTTPVars.items[i].value);
  }
  fputs("},\"url_query\":{", out);
  for (i = 0; i < URLQuery.count; i++) {
    const service_parameter* parameter = &URLQuery.items[i];
    if (i > 0) putc(',', out);
    quote(out, parameter->name);
    fputs(":[", out);
    for (j = 0; j < parameter->count; j++) {
      if (j > 0) putc(',', out);
      quote(out, parameter->values[j]);
    }
    putc(']', out);
  }
  fputs("},\"msg\":\"Hello plugin caller!\"}", out);
  if (fclose(out) == 0) return json;
  free(json);
  return NULL;
}

/* GET /_PLUGIN/hello/Hello */
SERVICE_HANDLER const char* GETHelloHandler(void) { return echo(); }

/* GET /_PLUGIN/hello/HelloWithStatus: with a status */
SERVICE_HANDLER service_answer GETHelloWithStatusHandler(void) {
  service_answer answer;
  answer.body = echo();
  answer.status = 202;
  return answer;
}
SERVICE_STATUS_FORM(GETHelloWithStatusHandler)

/* POST /_PLUGIN/hello/Echo: the request's body, with its content type and a header */
SERVICE_HANDLER void POSTEchoHandler(const service_request* request, service_response* response) {
  const char* type = service_header(request, "content-type");
  if (type != NULL) service_add_header(response, "Content-Type", type);
  service_add_header(response, "X-Plugin", "hello");
  service_write(response, request->body, request->body_length);
}
SERVICE_RESPONSE_FORM(POSTEchoHandler)
