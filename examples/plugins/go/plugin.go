// The plugin hello in Go.
//
//	go build -buildmode=c-shared -o hello.so .
//
// builds it; put hello.so into the folder that pluginpath names, and request
//
//	curl 'http://127.0.0.1:3000/_PLUGIN/hello/Hello?name=Ann'
//
// The response is the result of GETHelloHandler. service_plugin.go documents the layer for Go, service_plugin.h the rules.
package main

/*
#include "service_plugin.h"
SERVICE_STATUS_FORM(GETHelloWithStatusHandler)
SERVICE_RESPONSE_FORM(POSTEchoHandler)
*/
import "C"

import "encoding/json"

// The request as JSON.
func echo() string {
	body, err := json.Marshal(struct {
		HTTPVars map[string]string   `json:"http_vars"`
		URLQuery map[string][]string `json:"url_query"`
		Msg      string              `json:"msg"`
	}{HTTPVars(), URLQuery(), "Hello plugin caller!"})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// GETHelloHandler answers GET /_PLUGIN/hello/Hello.
//
//export GETHelloHandler
func GETHelloHandler() *C.char { return Text(echo) }

// GETHelloWithStatusHandler answers GET /_PLUGIN/hello/HelloWithStatus, with a status.
//
//export GETHelloWithStatusHandler
func GETHelloWithStatusHandler() C.service_answer {
	return Status(func() (string, int) { return echo(), 202 })
}

// POSTEchoHandler answers POST /_PLUGIN/hello/Echo with the request's body, its content type and a header.
//
//export POSTEchoHandler
func POSTEchoHandler(request *C.service_request, response *C.service_response) {
	Respond(request, response, func(request Request, response Response) {
		if kind := request.Header("content-type"); kind != "" {
			response.Header("Content-Type", kind)
		}
		response.Header("X-Plugin", "hello")
		response.Write(request.Body)
	})
}
