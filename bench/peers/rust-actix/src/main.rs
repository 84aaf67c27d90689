//! The usual fast choice in Rust: actix-web and tokio-postgres, which pipelines. Each worker thread has its share of the
//! connections and hands its requests to them in turn. Statements are prepared by name on first use, and bodies are copied
//! from the row as PostgreSQL wrote them. Settings are environment variables, as for the peers in Node.
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use actix_web::error::ErrorInternalServerError;
use actix_web::web::{Bytes, Data, Query};
use actix_web::{get, post, rt, App, HttpResponse, HttpServer, Result};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};

/// Wraps a query so that PostgreSQL writes the body.
macro_rules! json {
    ($query:expr) => {
        concat!("SELECT coalesce(json_agg(s), '[]') FROM (", $query, ") s")
    };
}

/// A query for rows of accounts.
macro_rules! accounts {
    ($rest:expr) => {
        concat!(
            "SELECT id, owner, email, city, balance, active, created FROM accounts WHERE ",
            $rest
        )
    };
}

const ONE: &str = json!(accounts!("id = $1"));
const PAGE: &str = json!(accounts!("id >= $1 ORDER BY id LIMIT 100"));
const TEN: &str = accounts!("id >= $1 AND id < $2 AND owner <> $3");
const MEGABYTE: &str = json!("SELECT id, body FROM documents WHERE id >= $1 ORDER BY id LIMIT 100");
const SLOW: &str = json!("SELECT 1 AS done FROM pg_sleep(0.2)");
const INSERT: &str = "INSERT INTO events (account, kind, note) VALUES ($1, $2, $3)";

type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

struct Connection {
    client: Client,
    /// By text.
    statements: RefCell<HashMap<String, Statement>>,
}

impl Connection {
    async fn prepare(&self, text: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.borrow().get(text) {
            return Ok(statement.clone());
        }
        let prepared = self.client.prepare(text).await;
        let statement = prepared.map_err(ErrorInternalServerError)?;
        let mut statements = self.statements.borrow_mut();
        Ok(statements
            .entry(text.to_string())
            .or_insert(statement)
            .clone())
    }
}

/// The connections of a worker thread.
struct Pool {
    connections: Vec<Connection>,
    next: Cell<usize>,
}

impl Pool {
    async fn connect(url: String, count: usize) -> Result<Pool, tokio_postgres::Error> {
        let mut connections = Vec::new();
        for _ in 0..count {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            rt::spawn(connection);
            let statements = RefCell::default();
            connections.push(Connection { client, statements });
        }
        let next = Cell::new(0);
        Ok(Pool { connections, next })
    }

    fn connection(&self) -> &Connection {
        let index = self.next.get();
        self.next.set((index + 1) % self.connections.len());
        &self.connections[index]
    }

    async fn read(&self, text: &str, values: Values<'_>) -> Result<HttpResponse> {
        let connection = self.connection();
        let statement = connection.prepare(text).await?;
        let row = connection.client.query_one(&statement, values).await;
        respond(&row.map_err(ErrorInternalServerError)?)
    }
}

/// The bytes of a column, without parsing.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Raw<'a>, Box<dyn Error + Sync + Send>> {
        Ok(Raw(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn respond(row: &Row) -> Result<HttpResponse> {
    let body = Bytes::copy_from_slice(row.get::<_, Raw>(0).0);
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .body(body))
}

#[derive(Deserialize)]
struct Key {
    #[serde(alias = "from")]
    id: i32,
}

#[get("/_QUERIES/bench/one")]
async fn one(pool: Data<Pool>, query: Query<Key>) -> Result<HttpResponse> {
    pool.read(ONE, &[&query.id]).await
}

/// Not prepared: every text is another statement.
#[get("/_QUERIES/bench/interpolated")]
async fn interpolated(pool: Data<Pool>, query: Query<Key>) -> Result<HttpResponse> {
    let text = format!(json!(accounts!("id = {}")), query.id);
    let rows = pool.connection().client.query_typed(&text, &[]).await;
    respond(&rows.map_err(ErrorInternalServerError)?[0])
}

#[get("/_QUERIES/bench/page")]
async fn page(pool: Data<Pool>, query: Query<Key>) -> Result<HttpResponse> {
    pool.read(PAGE, &[&query.id]).await
}

#[get("/_QUERIES/bench/megabyte")]
async fn megabyte(pool: Data<Pool>, query: Query<Key>) -> Result<HttpResponse> {
    pool.read(MEGABYTE, &[&query.id]).await
}

#[get("/_QUERIES/bench/slow")]
async fn slow(pool: Data<Pool>) -> Result<HttpResponse> {
    pool.read(SLOW, &[]).await
}

#[derive(Deserialize)]
struct Ten {
    from: i32,
    to: i32,
    owner: String,
    min: Option<i32>,
    max: Option<i32>,
    city: Option<String>,
    active: Option<bool>,
    since: Option<DateTime<Utc>>,
    limit: i64,
    offset: i64,
}

#[get("/_QUERIES/bench/ten")]
async fn ten(pool: Data<Pool>, Query(query): Query<Ten>) -> Result<HttpResponse> {
    let mut text = TEN.to_string();
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![&query.from, &query.to, &query.owner];
    let mut add = |clause: &str, value| {
        values.push(value);
        text += &format!(" {clause} ${}", values.len());
    };
    if let Some(min) = &query.min {
        add("AND balance >=", min);
    }
    if let Some(max) = &query.max {
        add("AND balance <=", max);
    }
    if let Some(city) = &query.city {
        add("AND city <>", city);
    }
    if let Some(active) = &query.active {
        add("AND active =", active);
    }
    if let Some(since) = &query.since {
        add("AND created >=", since);
    }
    add("ORDER BY id LIMIT", &query.limit);
    add("OFFSET", &query.offset);
    pool.read(&format!(json!("{}"), text), &values).await
}

#[derive(Deserialize)]
struct Event {
    account: i32,
    kind: String,
    note: String,
}

#[post("/_QUERIES/bench/insert")]
async fn insert(pool: Data<Pool>, query: Query<Event>) -> Result<HttpResponse> {
    let connection = pool.connection();
    let statement = connection.prepare(INSERT).await?;
    let values: Values = &[&query.account, &query.kind, &query.note];
    let count = connection.client.execute(&statement, values).await;
    let body = format!(
        "{{\"rows_affected\":{}}}",
        count.map_err(ErrorInternalServerError)?
    );
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .body(body))
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::var("BENCH_DATABASE")?;
    let connections: usize = env::var("BENCH_CONNECTIONS")?.parse()?;
    let port: u16 = env::var("BENCH_PORT")?.parse()?;
    let workers = available_parallelism()?.get().min(connections);
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let server = HttpServer::new(move || {
        let worker = STARTED.fetch_add(1, Ordering::Relaxed);
        let share = connections / workers + usize::from(worker < connections % workers);
        let url = url.clone();
        App::new()
            .data_factory(move || Pool::connect(url.clone(), share))
            .service((one, interpolated, page, megabyte, slow, ten, insert))
    });
    let bound = server.workers(workers).bind(("127.0.0.1", port))?;
    Ok(bound.run().await?)
}
