/*
 * service_plugin.h: the interface between sql-rest-service and its plugins, ABI 1.0, for C99 and C++. Layers for other
 * languages have the same layout (service_plugin.go, service_plugin.rs and service_plugin.hpp, in the same folder).
 *
 * A plugin is a shared library NAME.so. A request to /_PLUGIN/NAME/FUNC with the method METHOD calls its function
 * METHODFUNCHandler, for example GETHelloHandler. Exactly one source file of a library must contain
 *
 *     SERVICE_PLUGIN
 *
 * at file scope. It defines the ABI version and the two variables that are filled for each request.
 *
 * Forms of a handler: string, status and response. The string form needs no declaration; the other two are declared next
 * to the function:
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
 * A status is 100 to 599. An informational status (below 200) cannot end a response, so 200 is sent. The content type is
 * application/json unless a handler of the response form sets another one.
 *
 * Threads. Handlers run on several threads at once, also the same handler; each call runs on one thread. HTTPVars and
 * URLQuery are thread-local: read them on the thread on which the handler was called.
 *
 * Ownership.
 * - The memory that HTTPVars, URLQuery and a request point to belongs to the service. It is valid until the handler
 *   returns, and must not be changed or freed.
 * - A string that a handler returns belongs to the library. The service copies it right after the handler has returned,
 *   on the same thread, before any other call there. With SERVICE_PLUGIN_RELEASE(free), the service then passes the
 *   pointer to that function, once, on the same thread; otherwise it is never freed, and must be constant or the
 *   library's own per-thread memory.
 * - The functions of a response copy their arguments before they return. Call them before the handler returns, on the
 *   thread on which the handler was called.
 *
 * An invalid response is answered with 502: NULL, text that is not UTF-8 (string and status form), a body above
 * plugins.max_response, a status out of range, a rejected header, or an exception that leaves a handler.
 */
#ifndef SERVICE_PLUGIN_H
#define SERVICE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the ABI. A library with another major version is rejected. */
#define SERVICE_PLUGIN_ABI_MAJOR 1u
#define SERVICE_PLUGIN_ABI_MINOR 0u
#define SERVICE_PLUGIN_ABI ((SERVICE_PLUGIN_ABI_MAJOR << 16) | SERVICE_PLUGIN_ABI_MINOR)

/* SERVICE_EXPORT makes a function or variable visible to the service, whatever -fvisibility says. */
#define SERVICE_EXPORT __attribute__((visibility("default")))

/* SERVICE_HANDLER begins the definition of a handler: exported, without C++ name mangling. */
#ifdef __cplusplus
#define SERVICE_EXTERN extern "C"
#define SERVICE_HANDLER extern "C" SERVICE_EXPORT
#else
#define SERVICE_EXTERN extern
#define SERVICE_HANDLER SERVICE_EXPORT
#endif

/* SERVICE_THREAD_LOCAL is thread-local storage, for which C99 has no keyword but gcc and clang do. */
#define SERVICE_THREAD_LOCAL __thread

/*
 * Compatibility. Within a major version, members are only added, at the end of structs that begin with `size`: before
 * using a member newer than 1.0, check that `size` includes it. The structs without a size (text, variable, parameter,
 * answer) are elements of arrays or returned by value, and never change.
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

/* A query parameter and its values, in the order sent, at least one. */
typedef struct service_parameter {
  service_text name;
  const service_text* values;
  size_t count;
} service_parameter;

/* The route variables: "file" and "func". */
typedef struct service_http_vars {
  size_t size; /* of this struct when the library was compiled; members beyond it stay unset */
  const service_variable* items;
  size_t count;
} service_http_vars;

/* The query parameters by name, in order of first appearance. */
typedef struct service_url_query {
  size_t size; /* as above */
  const service_parameter* items;
  size_t count;
} service_url_query;

/* The result of a handler of the status form. */
typedef struct service_answer {
  const char* body;
  int status;
} service_answer;

/* A request. Members beyond `size` do not exist. */
typedef struct service_request {
  size_t size; /* of this struct when the service was compiled */
  service_text method;
  service_text path;       /* as sent, without the query string */
  service_text query;      /* as sent */
  service_text request_id; /* X-Request-Id of the response */
  service_text user;       /* the caller's name; empty for an anonymous request */
  service_text claims;     /* the claims of the token, a JSON object; empty as above */
  const service_variable*
      headers; /* in the order sent; without credentials, Host and Content-Length */
  size_t header_count;
  const unsigned char* body; /* any bytes; never NULL */
  size_t body_length;
} service_request;

/*
 * A response being built; its status is 200 until it is set. The functions return 1, or 0 when they reject an argument:
 * the response is then 502, whatever else the handler does. Call them through service_set_status and so on, below.
 */
typedef struct service_response {
  size_t size; /* of this struct when the service was compiled */
  int (*set_status)(struct service_response* response, int status);
  int (*add_header)(struct service_response* response, const char* name, const char* value);
  int (*write)(struct service_response* response, const void* data, size_t length);
} service_response;

/* service_set_status sets the status, 100 to 599. */
static inline int service_set_status(service_response* response, int status) {
  return response->set_status(response, status);
}

/*
 * service_add_header adds a header. Content-Type replaces application/json, and may be set once. It rejects names that
 * are not tokens, values with control characters other than the tab, values that are not UTF-8, more than 64 KiB of
 * headers, and the headers that only the service sets: Content-Length, Transfer-Encoding, Connection, Keep-Alive,
 * Proxy-Connection, TE, Trailer, Upgrade, X-Request-Id and X-Content-Type-Options, in any case.
 */
static inline int service_add_header(service_response* response, const char* name,
                                     const char* value) {
  return response->add_header(response, name, value);
}

/* service_write appends any bytes to the body. It rejects bytes beyond plugins.max_response. */
static inline int service_write(service_response* response, const void* data, size_t length) {
  return response->write(response, data, length);
}

/* service_var returns the value of a route variable, NULL when no variable has that name. */
static inline const char* service_var(const service_http_vars* vars, const char* name) {
  size_t i;
  for (i = 0; i < vars->count; i++)
    if (strcmp(vars->items[i].name.data, name) == 0) return vars->items[i].value.data;
  return NULL;
}

/* service_param returns a query parameter, NULL when it was not sent. */
static inline const service_parameter* service_param(const service_url_query* query,
                                                     const char* name) {
  size_t i;
  for (i = 0; i < query->count; i++)
    if (strcmp(query->items[i].name.data, name) == 0) return &query->items[i];
  return NULL;
}

/* service_header returns the value of the first header with that name (lower case), or NULL. */
static inline const char* service_header(const service_request* request, const char* name) {
  size_t i;
  for (i = 0; i < request->header_count; i++)
    if (strcmp(request->headers[i].name.data, name) == 0) return request->headers[i].value.data;
  return NULL;
}

/* Defined by SERVICE_PLUGIN. The two functions return the variables of the calling thread. */
extern SERVICE_EXPORT const uint32_t service_plugin_abi;
extern SERVICE_EXPORT SERVICE_THREAD_LOCAL service_http_vars HTTPVars;
extern SERVICE_EXPORT SERVICE_THREAD_LOCAL service_url_query URLQuery;
SERVICE_EXPORT service_http_vars* service_plugin_http_vars(void);
SERVICE_EXPORT service_url_query* service_plugin_url_query(void);
/* Defined by SERVICE_PLUGIN_RELEASE. */
SERVICE_EXPORT void service_plugin_release(const char* body);

#define SERVICE_PLUGIN                                                                    \
  const uint32_t service_plugin_abi = SERVICE_PLUGIN_ABI;                                 \
  SERVICE_THREAD_LOCAL service_http_vars HTTPVars = {sizeof(service_http_vars), NULL, 0}; \
  SERVICE_THREAD_LOCAL service_url_query URLQuery = {sizeof(service_url_query), NULL, 0}; \
  service_http_vars* service_plugin_http_vars(void) { return &HTTPVars; }                 \
  service_url_query* service_plugin_url_query(void) { return &URLQuery; }

#define SERVICE_PLUGIN_RELEASE(function) \
  void service_plugin_release(const char* body) { function((void*)body); }

/* The forms of handlers: the values of the symbols <function>Form, which declare them. */
#define SERVICE_FORM_STRING 1u
#define SERVICE_FORM_STATUS 2u
#define SERVICE_FORM_RESPONSE 3u

#define SERVICE_STATUS_FORM(function) SERVICE_DECLARE_FORM(function, SERVICE_FORM_STATUS)
#define SERVICE_RESPONSE_FORM(function) SERVICE_DECLARE_FORM(function, SERVICE_FORM_RESPONSE)
/* Weak, because cgo compiles the preamble, which may contain a declaration, more than once. */
#define SERVICE_DECLARE_FORM(function, form)                                         \
  SERVICE_EXTERN SERVICE_EXPORT const uint32_t function##Form __attribute__((weak)); \
  const uint32_t function##Form = form;

#ifdef __cplusplus
}
#endif

#endif
