// service_plugin.go: the Go layer of service_plugin.h, which documents the rules. It belongs to the plugin's package
// main, in the same folder as service_plugin.h and service_plugin.c. Text with a NUL, which a C string cannot hold, and
// a panic in a handler are answered with 502; the panic is written to standard error.

package main

/*
#include <stdlib.h>
#include "service_plugin.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"unsafe"
)

// main is required by -buildmode=c-shared, and never called.
func main() {}

// HTTPVars returns the route variables, "file" and "func", of the calling handler's request; empty in another
// goroutine.
func HTTPVars() map[string]string {
	vars := C.service_plugin_http_vars()
	named := make(map[string]string, int(vars.count))
	for _, item := range unsafe.Slice(vars.items, int(vars.count)) {
		named[textOf(item.name)] = textOf(item.value)
	}
	return named
}

// URLQuery returns the query parameters of the calling handler's request, each with its values in the order sent; empty
// in another goroutine.
func URLQuery() map[string][]string {
	query := C.service_plugin_url_query()
	named := make(map[string][]string, int(query.count))
	for _, item := range unsafe.Slice(query.items, int(query.count)) {
		values := make([]string, 0, int(item.count))
		for _, value := range unsafe.Slice(item.values, int(item.count)) {
			values = append(values, textOf(value))
		}
		named[textOf(item.name)] = values
	}
	return named
}

// Text runs a handler of the string form, which returns the body.
func Text(handler func() string) (body *C.char) {
	defer recovered(func() { body = nil })
	return cString(handler())
}

// Status runs a handler of the status form, which returns the body and the status.
func Status(handler func() (string, int)) (answer C.service_answer) {
	defer recovered(func() { answer.body = nil })
	body, status := handler()
	answer.status = C.int(status)
	answer.body = cString(body)
	return answer
}

// Respond runs a handler of the response form.
func Respond(request *C.service_request, response *C.service_response, handler func(Request, Response)) {
	defer recovered(func() { C.service_set_status(response, 0) }) // rejected, so that no part of the response is sent
	headers := make(map[string][]string, int(request.header_count))
	for _, header := range unsafe.Slice(request.headers, int(request.header_count)) {
		name := textOf(header.name)
		headers[name] = append(headers[name], textOf(header.value))
	}
	handler(Request{
		Method:  textOf(request.method),
		Path:    textOf(request.path),
		Query:   textOf(request.query),
		ID:      textOf(request.request_id),
		User:    textOf(request.user),
		Claims:  textOf(request.claims),
		Headers: headers,
		Body:    append([]byte(nil), unsafe.Slice((*byte)(request.body), int(request.body_length))...),
	}, Response{response})
}

// Request is the request of a handler of the response form. It is a copy and may be kept.
type Request struct {
	Method string
	// As sent.
	Path, Query string
	// X-Request-Id of the response.
	ID string
	// The caller's name and claims (JSON); empty for an anonymous request.
	User, Claims string
	// Names are in lower case.
	Headers map[string][]string
	Body    []byte
}

// Header returns the value of the first header with that name (lower case), or "".
func (r Request) Header(name string) string {
	if values := r.Headers[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Response is the response of a handler of the response form, valid until the handler returns.
type Response struct{ response *C.service_response }

var errRejected = errors.New("rejected by the service")

// Status sets the status. After an error of any method the response is 502.
func (r Response) Status(status int) error {
	return rejected(C.service_set_status(r.response, C.int(status)))
}

// Header adds a header.
func (r Response) Header(name, value string) error {
	if strings.Contains(name+value, "\x00") {
		name, value = "", "" // an empty name is rejected
	}
	cName, cValue := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(cName))
	defer C.free(unsafe.Pointer(cValue))
	return rejected(C.service_add_header(r.response, cName, cValue))
}

// Write appends to the body.
func (r Response) Write(bytes []byte) (int, error) {
	if len(bytes) == 0 {
		return 0, nil
	}
	if err := rejected(C.service_write(r.response, unsafe.Pointer(&bytes[0]), C.size_t(len(bytes)))); err != nil {
		return 0, err
	}
	return len(bytes), nil
}

func rejected(done C.int) error {
	if done == 1 {
		return nil
	}
	return errRejected
}

// recovered is deferred; it calls fail when the handler panicked.
func recovered(fail func()) {
	if reason := recover(); reason != nil {
		fmt.Fprintf(os.Stderr, "plugin: panic: %v\n%s", reason, debug.Stack())
		fail()
	}
}

func cString(text string) *C.char {
	if strings.IndexByte(text, 0) >= 0 {
		return nil
	}
	return C.CString(text) // freed by the service, see service_plugin.c
}

func textOf(text C.service_text) string {
	return C.GoStringN(text.data, C.int(text.length))
}
