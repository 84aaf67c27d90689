//! The fastest of the frameworks in Rust in public benchmarks: xitca-web and xitca-postgres, which pipelines. Each worker
//! thread has its share of the connections and hands its requests to them in turn. Statements are prepared by name at the
//! start, and bodies are the bytes of the row, not copied. Settings are environment variables, as for the peers in Node.
use std::cell::Cell;
use std::env;
use std::future::IntoFuture;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use serde::Deserialize;
use xitca_postgres::iter::AsyncLendingIterator;
use xitca_postgres::row::Row;
use xitca_postgres::{Client, Execute, Postgres, Statement, types::Type};
use xitca_unsafe_collection::bytes::BytesStr;
use xitca_web::App;
use xitca_web::body::ResponseBody;
use xitca_web::bytes::Bytes;
use xitca_web::handler::{handler_service, query::Query, state::StateRef};
use xitca_web::http::{HeaderValue, WebResponse, header::CONTENT_TYPE};
use xitca_web::route::{get, post};

/// What xitca-web turns into the response 500.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Wraps a query so that PostgreSQL writes the body.
macro_rules! json {
    ($query:expr) => {
        concat!(
            "SELECT coalesce(json_agg(s), '[]')::text FROM (",
            $query,
            ") s"
        )
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
const MEGABYTE: &str = json!("SELECT id, body FROM documents WHERE id >= $1 ORDER BY id LIMIT 100");
const SLOW: &str = json!("SELECT 1 AS done FROM pg_sleep(0.2)");
const INSERT: &str = "INSERT INTO events (account, kind, note) VALUES ($1, $2, $3)";

struct Connection {
    client: Client,
    one: Statement,
    page: Statement,
    megabyte: Statement,
    slow: Statement,
    insert: Statement,
}

/// The connections of a worker thread.
struct Pool {
    connections: Vec<Connection>,
    next: Cell<usize>,
}

impl Pool {
    async fn connect(url: String, count: usize) -> Result<Pool, xitca_postgres::Error> {
        let mut connections = Vec::new();
        for _ in 0..count {
            let (client, driver) = Postgres::new(url.as_str()).connect().await?;
            tokio::task::spawn(driver.into_future());
            let prepare = async |text: &str, types: &[Type]| {
                let statement = Statement::named(text, types).execute(&client).await;
                statement.map(|statement| statement.leak())
            };
            connections.push(Connection {
                one: prepare(ONE, &[Type::INT4]).await?,
                page: prepare(PAGE, &[Type::INT4]).await?,
                megabyte: prepare(MEGABYTE, &[Type::INT4]).await?,
                slow: prepare(SLOW, &[]).await?,
                insert: prepare(INSERT, &[Type::INT4, Type::TEXT, Type::TEXT]).await?,
                client,
            });
        }
        let next = Cell::new(0);
        Ok(Pool { connections, next })
    }

    fn connection(&self) -> &Connection {
        let index = self.next.get();
        self.next.set((index + 1) % self.connections.len());
        &self.connections[index]
    }
}

#[derive(Deserialize)]
struct Key {
    #[serde(alias = "from")]
    id: i32,
}

async fn read(client: &Client, statement: &Statement, id: i32) -> Result<WebResponse, Failure> {
    let mut rows = statement.bind([id]).query(client).await?;
    respond(rows.try_next().await?)
}

/// The response whose body is the one value of a row.
fn respond(row: Option<Row<'_>>) -> Result<WebResponse, Failure> {
    let body = row.ok_or("no row")?.get_zc::<BytesStr>(0);
    Ok(json_response(body.into_inner()))
}

fn json_response(body: Bytes) -> WebResponse {
    let mut response = WebResponse::new(ResponseBody::bytes(body));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

async fn one(pool: StateRef<'_, Pool>, query: Query<Key>) -> Result<WebResponse, Failure> {
    let Connection { client, one, .. } = pool.connection();
    read(client, one, query.0.id).await
}

async fn page(pool: StateRef<'_, Pool>, query: Query<Key>) -> Result<WebResponse, Failure> {
    let Connection { client, page, .. } = pool.connection();
    read(client, page, query.0.id).await
}

async fn megabyte(pool: StateRef<'_, Pool>, query: Query<Key>) -> Result<WebResponse, Failure> {
    let connection = pool.connection();
    read(&connection.client, &connection.megabyte, query.0.id).await
}

async fn slow(pool: StateRef<'_, Pool>) -> Result<WebResponse, Failure> {
    let Connection { client, slow, .. } = pool.connection();
    let mut rows = slow.query(client).await?;
    respond(rows.try_next().await?)
}

/// Not prepared by name: every text is another statement.
async fn interpolated(pool: StateRef<'_, Pool>, query: Query<Key>) -> Result<WebResponse, Failure> {
    let text = format!(json!(accounts!("id = {}")), query.0.id);
    let client = &pool.connection().client;
    let statement = Statement::named(&text, &[]);
    let mut rows = statement.bind_none().query(client).await?;
    respond(rows.try_next().await?)
}

#[derive(Deserialize)]
struct Event {
    account: i32,
    kind: String,
    note: String,
}

async fn insert(pool: StateRef<'_, Pool>, query: Query<Event>) -> Result<WebResponse, Failure> {
    let Event {
        account,
        kind,
        note,
    } = &query.0;
    let Connection { client, insert, .. } = pool.connection();
    let count = insert
        .bind_dyn(&[account, kind, note])
        .execute(client)
        .await?;
    Ok(json_response(Bytes::from(format!(
        "{{\"rows_affected\":{count}}}"
    ))))
}

fn main() -> Result<(), Failure> {
    let url = env::var("BENCH_DATABASE")?;
    let connections: usize = env::var("BENCH_CONNECTIONS")?.parse()?;
    let port: u16 = env::var("BENCH_PORT")?.parse()?;
    let workers = available_parallelism()?.get().min(connections);
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let server = App::new()
        .with_async_state(move || {
            let worker = STARTED.fetch_add(1, Ordering::Relaxed);
            let share = connections / workers + usize::from(worker < connections % workers);
            Pool::connect(url.clone(), share)
        })
        .at("/_QUERIES/bench/one", get(handler_service(one)))
        .at(
            "/_QUERIES/bench/interpolated",
            get(handler_service(interpolated)),
        )
        .at("/_QUERIES/bench/page", get(handler_service(page)))
        .at("/_QUERIES/bench/megabyte", get(handler_service(megabyte)))
        .at("/_QUERIES/bench/slow", get(handler_service(slow)))
        .at("/_QUERIES/bench/insert", post(handler_service(insert)))
        .serve()
        .worker_threads(workers)
        .bind(("127.0.0.1", port))?;
    server.run().wait()?;
    Ok(())
}
