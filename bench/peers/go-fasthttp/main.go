// The usual fast choice in Go: fasthttp and pgx with its pool, which prepares every statement by name on first use. Bodies
// are copied from the row as PostgreSQL wrote them. Settings are environment variables, as for the peers in Node.
package main

import (
	"context"
	"log"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/valyala/fasthttp"
)

const (
	prefix   = "/_QUERIES/bench/"
	accounts = "SELECT id, owner, email, city, balance, active, created FROM accounts WHERE "
)

var (
	one      = json(accounts + "id = $1")
	page     = json(accounts + "id >= $1 ORDER BY id LIMIT 100")
	megabyte = json("SELECT id, body FROM documents WHERE id >= $1 ORDER BY id LIMIT 100")
	slow     = json("SELECT 1 AS done FROM pg_sleep(0.2)")
	insert   = "INSERT INTO events (account, kind, note) VALUES ($1, $2, $3)"
	// The optional conditions of ten, in order.
	optional = [][2]string{
		{"min", "balance >="},
		{"max", "balance <="},
		{"city", "city <>"},
		{"active", "active ="},
		{"since", "created >="},
	}
	// Not that of a request, for which pgx would start a goroutine that waits for its end.
	background = context.Background()
)

type server struct{ pool *pgxpool.Pool }

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("BENCH_DATABASE"))
	if err != nil {
		log.Fatal(err)
	}
	connections, err := strconv.Atoi(os.Getenv("BENCH_CONNECTIONS"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(background, config)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(fasthttp.ListenAndServe("127.0.0.1:"+os.Getenv("BENCH_PORT"), server{pool}.handle))
}

func (s server) handle(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	switch string(ctx.Path()) {
	case prefix + "one":
		s.read(ctx, one, value(ctx, "id"))
	case prefix + "interpolated":
		id, err := ctx.QueryArgs().GetUint("id")
		if err != nil {
			fail(ctx, fasthttp.StatusBadRequest, err)
			return
		}
		// Not prepared: every text is another statement.
		s.read(ctx, json(accounts+"id = "+strconv.Itoa(id)), pgx.QueryExecModeExec)
	case prefix + "page":
		s.read(ctx, page, value(ctx, "from"))
	case prefix + "ten":
		s.ten(ctx)
	case prefix + "megabyte":
		s.read(ctx, megabyte, value(ctx, "from"))
	case prefix + "slow":
		s.read(ctx, slow)
	case prefix + "insert":
		s.insert(ctx)
	default:
		ctx.SetStatusCode(fasthttp.StatusNotFound)
	}
}

func (s server) ten(ctx *fasthttp.RequestCtx) {
	text := accounts + "id >= $1 AND id < $2 AND owner <> $3"
	values := []any{value(ctx, "from"), value(ctx, "to"), value(ctx, "owner")}
	add := func(clause, name string) {
		values = append(values, value(ctx, name))
		text += clause + " $" + strconv.Itoa(len(values))
	}
	for _, condition := range optional {
		if ctx.QueryArgs().Has(condition[0]) {
			add(" AND "+condition[1], condition[0])
		}
	}
	add(" ORDER BY id LIMIT", "limit")
	add(" OFFSET", "offset")
	s.read(ctx, json(text), values...)
}

func (s server) insert(ctx *fasthttp.RequestCtx) {
	if !ctx.IsPost() {
		ctx.SetStatusCode(fasthttp.StatusMethodNotAllowed)
		return
	}
	values := []any{value(ctx, "account"), value(ctx, "kind"), value(ctx, "note")}
	tag, err := s.pool.Exec(background, insert, values...)
	if err != nil {
		fail(ctx, fasthttp.StatusInternalServerError, err)
		return
	}
	ctx.SetBodyString(`{"rows_affected":` + strconv.FormatInt(tag.RowsAffected(), 10) + `}`)
}

// read sends the only column of the only row of a statement.
func (s server) read(ctx *fasthttp.RequestCtx, text string, values ...any) {
	rows, err := s.pool.Query(background, text, values...)
	if err != nil {
		fail(ctx, fasthttp.StatusInternalServerError, err)
		return
	}
	defer rows.Close()
	if !rows.Next() {
		fail(ctx, fasthttp.StatusInternalServerError, rows.Err())
		return
	}
	ctx.SetBody(rows.RawValues()[0])
}

// value is a parameter of the query string, which PostgreSQL parses.
func value(ctx *fasthttp.RequestCtx, name string) string {
	return string(ctx.QueryArgs().Peek(name))
}

// json wraps a query so that PostgreSQL writes the body.
func json(text string) string {
	return "SELECT coalesce(json_agg(s), '[]') FROM (" + text + ") s"
}

func fail(ctx *fasthttp.RequestCtx, status int, err error) {
	ctx.SetStatusCode(status)
	ctx.SetBodyString(`{"error":` + strconv.Quote(err.Error()) + `}`)
}
