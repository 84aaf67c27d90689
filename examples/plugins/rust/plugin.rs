//! The plugin hello in Rust.
//!
//!     rustc --edition 2021 --crate-type cdylib -O -o hello.so plugin.rs
//!
//! builds it; put hello.so into the folder that pluginpath names, and request
//!
//!     curl 'http://127.0.0.1:3000/_PLUGIN/hello/Hello?name=Ann'
//!
//! The response is the result of GETHelloHandler. service_plugin.rs documents the layer for Rust, service_plugin.h the
//! rules.

mod service_plugin;

use service_plugin::{http_vars, response_handler, status_handler, text_handler, url_query};
use service_plugin::{Request, Response};

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json += &format!("\\u{:04x}", c as u32),
            c => json.push(c),
        }
    }
    json + "\""
}

/// The request as JSON.
fn echo() -> String {
    let vars: Vec<String> = http_vars()
        .iter()
        .map(|(name, value)| format!("{}:{}", quoted(name), quoted(value)))
        .collect();
    let query: Vec<String> = url_query()
        .iter()
        .map(|(name, values)| {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            format!("{}:[{}]", quoted(name), values.join(","))
        })
        .collect();
    format!(
        r#"{{"http_vars":{{{}}},"url_query":{{{}}},"msg":"Hello plugin caller!"}}"#,
        vars.join(","),
        query.join(",")
    )
}

// GET /_PLUGIN/hello/Hello
text_handler!(GETHelloHandler, echo);

// GET /_PLUGIN/hello/HelloWithStatus: with a status
fn echo_with_status() -> (String, i32) {
    (echo(), 202)
}
status_handler!(GETHelloWithStatusHandler, echo_with_status);

// POST /_PLUGIN/hello/Echo: the request's body, with its content type and a header. If the service refuses one of these,
// the whole response becomes an error, so the results need not be checked.
fn echo_body(request: &Request, response: &mut Response) {
    if let Some(kind) = request.header("content-type") {
        let _ = response.header("Content-Type", kind);
    }
    let _ = response.header("X-Plugin", "hello");
    let _ = response.write(request.body);
}
response_handler!(POSTEchoHandler, echo_body);
