//! service_plugin.rs: the Rust layer of service_plugin.h, which documents the rules. It is the module `service_plugin`
//! of the plugin's crate and has no dependencies. Text with a NUL, which a C string cannot hold, and a panic in a
//! handler are answered with 502; the panic is written to standard error. With `panic = "abort"` a panic ends the
//! process. Requires Rust 1.63 and edition 2021; the syntax of attributes differs in edition 2024.
#![allow(dead_code, non_upper_case_globals)]

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::{ptr, slice, str};

/// `text_handler!(GETHelloHandler, hello)`: the string form; `hello` is a `fn() -> String` that returns the body.
macro_rules! text_handler {
    ($name:ident, $handler:path) => {
        #[no_mangle]
        #[allow(non_snake_case)]
        pub extern "C" fn $name() -> *const std::os::raw::c_char {
            $crate::service_plugin::run_text($handler)
        }
    };
}

/// `status_handler!(GETHelloHandler, hello)`: the status form; `hello` is a `fn() -> (String, i32)` that returns the
/// body and the status.
macro_rules! status_handler {
    ($name:ident, $handler:path) => {
        #[no_mangle]
        #[allow(non_snake_case)]
        pub extern "C" fn $name() -> $crate::service_plugin::RawAnswer {
            $crate::service_plugin::run_status($handler)
        }
        $crate::service_plugin::declare_form!($name, 2);
    };
}

/// `response_handler!(POSTHelloHandler, hello)`: the response form; `hello` is a `fn(&Request, &mut Response)`.
macro_rules! response_handler {
    ($name:ident, $handler:path) => {
        /// # Safety
        /// Called by the service with valid pointers.
        #[no_mangle]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name(
            request: *const $crate::service_plugin::RawRequest,
            response: *mut $crate::service_plugin::RawResponse,
        ) {
            $crate::service_plugin::run_response(request, response, $handler)
        }
        $crate::service_plugin::declare_form!($name, 3);
    };
}

macro_rules! declare_form {
    ($name:ident, $form:expr) => {
        const _: () = {
            #[export_name = concat!(stringify!($name), "Form")]
            pub static FORM: u32 = $form;
        };
    };
}

pub(crate) use {declare_form, response_handler, status_handler, text_handler};

/// Returns the route variables, `file` and `func`, of this thread's request.
pub fn http_vars() -> BTreeMap<String, String> {
    let vars = HTTP_VARS.with(|vars| vars.get());
    // SAFETY: the service changes them only between calls on this thread.
    let items = unsafe { array((*vars).items, (*vars).count) };
    items
        .iter()
        .map(|item| (item.name.get().to_owned(), item.value.get().to_owned()))
        .collect()
}

/// Returns the query parameters of this thread's request, each with its values in the order sent.
pub fn url_query() -> BTreeMap<String, Vec<String>> {
    let query = URL_QUERY.with(|query| query.get());
    // SAFETY: as above.
    let items = unsafe { array((*query).items, (*query).count) };
    items
        .iter()
        .map(|item| {
            let values = unsafe { array(item.values, item.count) };
            let values = values.iter().map(|value| value.get().to_owned());
            (item.name.get().to_owned(), values.collect())
        })
        .collect()
}

/// The request of a handler of the response form.
pub struct Request<'a> {
    pub method: &'a str,
    /// As sent.
    pub path: &'a str,
    pub query: &'a str,
    /// X-Request-Id of the response.
    pub id: &'a str,
    /// The caller's name and claims (JSON); empty for an anonymous request.
    pub user: &'a str,
    pub claims: &'a str,
    /// Names are in lower case.
    pub headers: Vec<(&'a str, &'a str)>,
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    /// Returns the value of the first header with that name (lower case).
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let found = self.headers.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| *value)
    }
}

/// The response of a handler of the response form.
pub struct Response<'a> {
    response: &'a mut RawResponse,
}

/// The service rejected a part of the response, which is then 502.
#[derive(Debug)]
pub struct Refused;

impl Response<'_> {
    /// Sets the status.
    pub fn status(&mut self, status: i32) -> Result<(), Refused> {
        let set = self.response.set_status;
        done(set(self.response, status))
    }

    /// Adds a header.
    pub fn header(&mut self, name: &str, value: &str) -> Result<(), Refused> {
        let add = self.response.add_header;
        // With a NUL, an empty name instead, which is rejected.
        let (name, value) = match (CString::new(name), CString::new(value)) {
            (Ok(name), Ok(value)) => (name, value),
            _ => Default::default(),
        };
        done(add(self.response, name.as_ptr(), value.as_ptr()))
    }

    /// Appends to the body.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let write = self.response.write;
        done(write(self.response, bytes.as_ptr().cast(), bytes.len()))
    }
}

fn done(result: c_int) -> Result<(), Refused> {
    match result {
        1 => Ok(()),
        _ => Err(Refused),
    }
}

// The types below have the layout of service_plugin.h.

#[repr(C)]
struct Text {
    data: *const c_char,
    length: usize,
}

impl Text {
    fn get<'a>(&self) -> &'a str {
        // SAFETY: the service guarantees the pointer and UTF-8; valid until the handler returns, like all its owners.
        let bytes = unsafe { array(self.data.cast::<u8>(), self.length) };
        str::from_utf8(bytes).unwrap_or("")
    }
}

#[repr(C)]
struct Variable {
    name: Text,
    value: Text,
}

#[repr(C)]
struct Parameter {
    name: Text,
    values: *const Text,
    count: usize,
}

#[repr(C)]
pub struct RawVariables {
    size: usize,
    items: *const Variable,
    count: usize,
}

#[repr(C)]
pub struct RawQuery {
    size: usize,
    items: *const Parameter,
    count: usize,
}

#[repr(C)]
pub struct RawAnswer {
    body: *const c_char,
    status: c_int,
}

#[repr(C)]
pub struct RawRequest {
    size: usize,
    method: Text,
    path: Text,
    query: Text,
    request_id: Text,
    user: Text,
    claims: Text,
    headers: *const Variable,
    header_count: usize,
    body: *const u8,
    body_length: usize,
}

#[repr(C)]
pub struct RawResponse {
    size: usize,
    set_status: extern "C" fn(*mut RawResponse, c_int) -> c_int,
    add_header: extern "C" fn(*mut RawResponse, *const c_char, *const c_char) -> c_int,
    write: extern "C" fn(*mut RawResponse, *const c_void, usize) -> c_int,
}

#[no_mangle]
pub static service_plugin_abi: u32 = 1 << 16;

thread_local! {
    static HTTP_VARS: UnsafeCell<RawVariables> = const {
        UnsafeCell::new(RawVariables {
            size: std::mem::size_of::<RawVariables>(),
            items: ptr::null(),
            count: 0,
        })
    };
    static URL_QUERY: UnsafeCell<RawQuery> = const {
        UnsafeCell::new(RawQuery {
            size: std::mem::size_of::<RawQuery>(),
            items: ptr::null(),
            count: 0,
        })
    };
}

#[no_mangle]
pub extern "C" fn service_plugin_http_vars() -> *mut RawVariables {
    HTTP_VARS.with(|vars| vars.get())
}

#[no_mangle]
pub extern "C" fn service_plugin_url_query() -> *mut RawQuery {
    URL_QUERY.with(|query| query.get())
}

/// Called by the service with the string that a handler of the string or status form returned.
///
/// # Safety
/// `body` was returned by `c_string` and is passed only once.
#[no_mangle]
pub unsafe extern "C" fn service_plugin_release(body: *const c_char) {
    if !body.is_null() {
        drop(CString::from_raw(body as *mut c_char));
    }
}

fn c_string(body: String) -> *const c_char {
    CString::new(body).map_or(ptr::null(), |body| body.into_raw())
}

/// A slice of an array of the service; the pointer of an empty array may be null.
unsafe fn array<'a, T>(items: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        _ => slice::from_raw_parts(items, count),
    }
}

// Called by the macros above.

pub fn run_text(handler: fn() -> String) -> *const c_char {
    catch_unwind(|| c_string(handler())).unwrap_or(ptr::null())
}

pub fn run_status(handler: fn() -> (String, i32)) -> RawAnswer {
    let answer = catch_unwind(|| {
        let (body, status) = handler();
        let body = c_string(body);
        RawAnswer { body, status }
    });
    let body = ptr::null();
    answer.unwrap_or(RawAnswer { body, status: 500 })
}

/// # Safety
/// Called by the service with valid pointers.
pub unsafe fn run_response(
    request: *const RawRequest,
    response: *mut RawResponse,
    handler: fn(&Request, &mut Response),
) {
    let raw = &*request;
    let headers = array(raw.headers, raw.header_count).iter();
    let request = Request {
        method: raw.method.get(),
        path: raw.path.get(),
        query: raw.query.get(),
        id: raw.request_id.get(),
        user: raw.user.get(),
        claims: raw.claims.get(),
        headers: headers
            .map(|header| (header.name.get(), header.value.get()))
            .collect(),
        body: array(raw.body, raw.body_length),
    };
    let mut answer = Response {
        response: &mut *response,
    };
    if catch_unwind(AssertUnwindSafe(|| handler(&request, &mut answer))).is_err() {
        // Rejected, so that no part of the response is sent.
        let _ = answer.status(0);
    }
}
