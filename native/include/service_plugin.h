/*
 * service_plugin.h: what a plugin of sql-rest-service is written against, ABI 1.0. C99, and C++; other languages follow
 * the same layout (service_plugin.go, service_plugin.rs and service_plugin.hpp lie beside this file).
 *
 * A plugin is a shared library NAME.so. A request to /_PLUGIN/NAME/FUNC with the method METHOD calls its function
 * METHODFUNCHandler, for example GETHelloHandler. Exactly one source file of a library says
 *
 *     SERVICE_PLUGIN
 *
 * at file scope, which defines the ABI's version and the two variables that are filled for each request.
 *
 * Forms of a handler. The first one needs no declaration; the other two are declared beside the function:
 *
 *     SERVICE_HANDLER const char *GETHelloHandler(void) {...}                 the body; the status is 200
 *
 *     SERVICE_HANDLER service_answer GETHelloHandler(void) {...}              the body and a status
 *     SERVICE_STATUS_FORM(GETHelloHandler)
 *
 *     SERVICE_HANDLER void GETHelloHandler(const service_request *request,    everything else: headers, content type,
 *                                          service_response *response) {...}  request body, binary bodies
 *     SERVICE_RESPONSE_FORM(GETHelloHandler)
 *
 * A status is 100 to 599; one below 200 ends no HTTP exchange, and 200 is sent instead. The content type is
 * application/json unless a handler of the third form sets another one.
 *
 * Threads. Handlers run on several threads at once, also the same one, and each call on one thread from beginning to
 * end. HTTPVars and URLQuery exist once for each thread: read them on the thread that the handler was called on.
 *
 * Ownership.
 * - What HTTPVars, URLQuery and a request point to belongs to the service. It is valid until the handler returns, and
 *   must not be changed or freed.
 * - A string that a handler returns stays the library's. The service copies it right after the handler has returned, on
 *   the same thread, before it calls anything else there. When the library says SERVICE_PLUGIN_RELEASE(free), the
 *   service then hands the pointer to that function, once, on the same thread; otherwise it is never freed, and has to
 *   be constant or the library's own per-thread memory.
 * - What is given to the functions of a response is copied before they return. A response ends with its handler: call
 *   them before it returns, and on the thread that it was called on.
 *
 * What is no answer is the caller's error 502: NULL, text that is not UTF-8 (first and second form), more than
 * plugins.max_response bytes, another status, a header that is refused, an exception that leaves a handler.
 */
#ifndef SERVICE_PLUGIN_H
#define SERVICE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the ABI. A library whose major version is another one is refused. */
#define SERVICE_PLUGIN_ABI_MAJOR 1u
#define SERVICE_PLUGIN_ABI_MINOR 0u
#define SERVICE_PLUGIN_ABI ((SERVICE_PLUGIN_ABI_MAJOR << 16) | SERVICE_PLUGIN_ABI_MINOR)

/* SERVICE_EXPORT makes a function or variable visible to the service, whatever -fvisibility says. */
#define SERVICE_EXPORT __attribute__((visibility("default")))

/* SERVICE_HANDLER begins the definition of a handler: the service finds it by its plain name. */
#ifdef __cplusplus
#define SERVICE_EXTERN extern "C"
#define SERVICE_HANDLER extern "C" SERVICE_EXPORT
#else
#define SERVICE_EXTERN extern
#define SERVICE_HANDLER SERVICE_EXPORT
#endif

/* SERVICE_THREAD_LOCAL is per-thread storage: a keyword of gcc and clang that C99 has no word for. */
#define SERVICE_THREAD_LOCAL __thread

/*
 * What stays. Within a major version members are only added, at the end of the structs that begin with a size: one who
 * uses a member that is newer than 1.0 looks first whether `size` reaches it. The structs without a size (text, variable,
 * parameter, answer) are parts of arrays or returned by value, and never change.
 */

/* Text: UTF-8 without NUL, `length` bytes, and a NUL after them. `data` is never NULL. */
typedef struct service_text {
  const char* data;
  size_t length;
} service_text;

/* A name and its value: a route variable, or a header (its name in lower case). */
typedef struct service_variable {
  service_text name;
  service_text value;
} service_variable;

/* A query parameter: its values in the order sent, at least one. */
typedef struct service_parameter {
  service_text name;
  const service_text* values;
  size_t count;
} service_parameter;

/* The route variables: "file" and "func". */
typedef struct service_http_vars {
  size_t size; /* of this struct, as the library was compiled: the service fills in no more */
  const service_variable* items;
  size_t count;
} service_http_vars;

/* The query parameters by name, in order of first appearance. */
typedef struct service_url_query {
  size_t size; /* as above */
  const service_parameter* items;
  size_t count;
} service_url_query;

/* What a handler of the second form returns. */
typedef struct service_answer {
  const char* body;
  int status;
} service_answer;

/* A request. Members are added at the end only; those beyond `size` are not there. */
typedef struct service_request {
  size_t size; /* of this struct, as the service was compiled */
  service_text method;
  service_text path;       /* as sent, without the query string */
  service_text query;      /* as sent */
  service_text request_id; /* the answer's X-Request-Id */
  service_text user;       /* the caller's name; empty for nobody known */
  service_text claims; /* the claims of the caller's token, a JSON object; empty for nobody known */
  const service_variable*
      headers; /* in the order sent; without credentials, Host and Content-Length */
  size_t header_count;
  const unsigned char* body; /* any bytes; never NULL */
  size_t body_length;
} service_request;

/*
 * A response under way; its status is 200 until it is set. The functions return 1, or 0 when they refuse: the answer is
 * then an error 502, whatever else the handler does. Call them through service_set_status and so on, below.
 */
typedef struct service_response {
  size_t size; /* of this struct, as the service was compiled */
  int (*set_status)(struct service_response* response, int status);
  int (*add_header)(struct service_response* response, const char* name, const char* value);
  int (*write)(struct service_response* response, const void* data, size_t length);
} service_response;

/* service_set_status sets the status: 100 to 599. */
static inline int service_set_status(service_response* response, int status) {
  return response->set_status(response, status);
}

/*
 * service_add_header adds a header. Content-Type replaces application/json, and may be given once. Refused are names
 * that are no tokens, values with CR, LF or another control character but the tab, values that are not UTF-8, more than
 * 64 KiB of headers, and those that are the service's own: Content-Length, Transfer-Encoding, Connection, Keep-Alive,
 * Proxy-Connection, TE, Trailer, Upgrade, X-Request-Id and X-Content-Type-Options, in any case.
 */
static inline int service_add_header(service_response* response, const char* name,
                                     const char* value) {
  return response->add_header(response, name, value);
}

/* service_write appends to the body, any bytes. Refused is what exceeds plugins.max_response. */
static inline int service_write(service_response* response, const void* data, size_t length) {
  return response->write(response, data, length);
}

/* service_var is the value of a route variable, NULL when there is none of that name. */
static inline const char* service_var(const service_http_vars* vars, const char* name) {
  size_t i;
  for (i = 0; i < vars->count; i++)
    if (strcmp(vars->items[i].name.data, name) == 0) return vars->items[i].value.data;
  return NULL;
}

/* service_param is a query parameter, NULL when it was not sent. */
static inline const service_parameter* service_param(const service_url_query* query,
                                                     const char* name) {
  size_t i;
  for (i = 0; i < query->count; i++)
    if (strcmp(query->items[i].name.data, name) == 0) return &query->items[i];
  return NULL;
}

/* service_header is the value of the first header of a name (lower case), NULL when there is none. */
static inline const char* service_header(const service_request* request, const char* name) {
  size_t i;
  for (i = 0; i < request->header_count; i++)
    if (strcmp(request->headers[i].name.data, name) == 0) return request->headers[i].value.data;
  return NULL;
}

/* What SERVICE_PLUGIN defines. The service finds the variables of a thread through the two functions. */
extern SERVICE_EXPORT const uint32_t service_plugin_abi;
extern SERVICE_EXPORT SERVICE_THREAD_LOCAL service_http_vars HTTPVars;
extern SERVICE_EXPORT SERVICE_THREAD_LOCAL service_url_query URLQuery;
SERVICE_EXPORT service_http_vars* service_plugin_http_vars(void);
SERVICE_EXPORT service_url_query* service_plugin_url_query(void);
/* What SERVICE_PLUGIN_RELEASE defines, if the library says so. */
SERVICE_EXPORT void service_plugin_release(const char* body);

#define SERVICE_PLUGIN                                                                    \
  const uint32_t service_plugin_abi = SERVICE_PLUGIN_ABI;                                 \
  SERVICE_THREAD_LOCAL service_http_vars HTTPVars = {sizeof(service_http_vars), NULL, 0}; \
  SERVICE_THREAD_LOCAL service_url_query URLQuery = {sizeof(service_url_query), NULL, 0}; \
  service_http_vars* service_plugin_http_vars(void) { return &HTTPVars; }                 \
  service_url_query* service_plugin_url_query(void) { return &URLQuery; }

#define SERVICE_PLUGIN_RELEASE(function) \
  void service_plugin_release(const char* body) { function((void*)body); }

/* The forms of handlers: the values of the symbols that declare them, <function>Form. */
#define SERVICE_FORM_STRING 1u
#define SERVICE_FORM_STATUS 2u
#define SERVICE_FORM_RESPONSE 3u

#define SERVICE_STATUS_FORM(function) SERVICE_DECLARE_FORM(function, SERVICE_FORM_STATUS)
#define SERVICE_RESPONSE_FORM(function) SERVICE_DECLARE_FORM(function, SERVICE_FORM_RESPONSE)
/* Weak, for cgo compiles a preamble that has one more than once. */
#define SERVICE_DECLARE_FORM(function, form)                                         \
  SERVICE_EXTERN SERVICE_EXPORT const uint32_t function##Form __attribute__((weak)); \
  const uint32_t function##Form = form;

#ifdef __cplusplus
}
#endif

#endif
