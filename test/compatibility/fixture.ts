/**
 * What the recorded requests ran on: the databases, their tables and rows, and the scripts of three folders. No more of
 * it than a request shows.
 */

/** Databases beside `postgres`; they all have `TABLES`. */
export const DATABASES = ['prest-test', 'secondary-cluster', 'secondary-db'] as const;

export const TABLES = `
  CREATE TABLE "Reply" (id serial, name text);
  CREATE TABLE "TestCase" (id serial, name text);
  CREATE TABLE prest_users (
    id serial PRIMARY KEY, name text, username text UNIQUE, password text, metadata jsonb);
  CREATE TABLE prest_queries (
    id bigserial PRIMARY KEY, database_alias text NOT NULL DEFAULT '', location text NOT NULL,
    name text NOT NULL, read_sql text, write_sql text, update_sql text, delete_sql text,
    description text, created_by text, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (database_alias, location, name));
  CREATE TABLE test (id serial, name text);
  CREATE TABLE test3 (id serial, name text UNIQUE);
  CREATE TABLE test7 (id serial, name text, surname text);
  CREATE TABLE test8 (nameforjoin text);
  INSERT INTO test3 (name) VALUES ('prest');
  INSERT INTO test7 (name, surname) VALUES ('gopher', 'da silva');
  INSERT INTO prest_users (name, username, password)
    VALUES ('', 'test@postgres.rest', md5('123456'));
  CREATE TABLE rec_users (LIKE prest_users INCLUDING ALL);
  INSERT INTO rec_users (id, name, username, password, metadata) VALUES
    (1, 'N', 'bcrypt', '$2b$04$SBUbNmWejzXE409rbHX53uhKBF491WjcvFwZgdsz2atgc7ufCRxjG', '{"a":1}'),
    (2, 'S', 'sha1', 'e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4', NULL),
    (3, 'M', 'md5', md5('secret'), NULL),
    (4, 'P', 'plain', 'secret', NULL),
    (5, 'U', 'Upper', md5('secret'), NULL)`;

/** Texts by path below the scripts folder. */
export const SCRIPTS = {
  'fulltable/get_all.read.sql': "SELECT * FROM test7 WHERE name = '{{.field1}}'",
  'fulltable/get_bound.read.sql': `SELECT * FROM test7 WHERE name = {{sqlVal "field1"}}\n`,
  'fulltable/get_header.read.sql': `SELECT '{{index .header "X-Application"}}'\n`,
  'fulltable/get_ident.read.sql': `SELECT * FROM {{ident "field1"}}\n`,
  'fulltable/get_raw_param_index.read.sql': `SELECT * FROM test7 WHERE 1 = {{index ._param "field1"}}\n`,
  'fulltable/limitoffset.read.sql': `SELECT * FROM test7 {{limitOffset "1" "10"}}\n`,
  'fulltable/parse_syntax_invalid.read.sql': `SELECT * FROM test7 WHERE name = '{{ .field1'\n`,
  'fulltable/write_all.write.sql':
    "INSERT INTO test7 (name, surname) VALUES ('{{.field1}}', '{{.field2}}')",
  'fulltable/write_bound.write.sql': `INSERT INTO test7 (name, surname) VALUES ({{sqlVal "field1"}}, {{sqlVal "field2"}})\n`,
  'fulltable/update_bound.update.sql': `UPDATE test7 SET surname = {{sqlVal "field2"}} WHERE name = {{sqlVal "field1"}}\n`,
  'fulltable/delete_bound.delete.sql': `DELETE FROM test7 WHERE name = {{sqlVal "field1"}}\n`,
  'error/query_w_error.read.sql': 'select * from non_existing_table',
  'itest/readonly.read.sql': 'SELECT 1 AS a',
  'rec/types.read.sql': String.raw`SELECT 1::int AS i, 9007199254740993::bigint AS big, 1.10::numeric AS n, 1e100::float8 AS f, 'NaN'::float8 AS nan, true AS b, NULL AS nul, '2024-02-03 04:05:06.789+00'::timestamptz AS ts, '2024-02-03'::date AS d, '\x00ff'::bytea AS by, ARRAY[1,2] AS arr, '{"b":1,"a":[]}'::json AS js, '1 day'::interval AS iv, 'é<>&"\' AS t`,
  'rec/order.read.sql': 'SELECT 1 AS zz, 2 AS a, 3 AS bbb, 4 AS b',
  'rec/dup.read.sql': 'SELECT 1 AS a, 2 AS a',
  'rec/anon.read.sql': "SELECT 1, 'x'",
  'rec/semicolon.read.sql': 'SELECT 1 AS a;',
  'rec/linecomment.read.sql': 'SELECT 1 AS a -- note',
  'rec/cte.read.sql': 'WITH x AS (SELECT 1 AS a) SELECT * FROM x',
  'rec/insert.read.sql': "INSERT INTO test7(name) VALUES ('x') RETURNING name",
  'rec/empty.read.sql': '',
  'rec/returning.write.sql': "INSERT INTO test7(name) VALUES ('rec2') RETURNING id, name",
  'rec/select.write.sql': 'SELECT * FROM test7',
  'rec/multi.write.sql':
    "INSERT INTO test7(name) VALUES ('rec3'); DELETE FROM test7 WHERE name = 'rec3'",
  'rec/semicolon.write.sql': "DELETE FROM test7 WHERE name LIKE 'rec%';",
  'rec/empty.write.sql': ` \n`,
  'rec/ddl.write.sql': 'COMMENT ON TABLE test8 IS NULL',
  'rec/missing.read.sql': "SELECT '{{.nope}}' AS v",
  'rec/missingbound.read.sql': 'SELECT {{sqlVal "nope"}}::text AS v',
  'rec/untyped.read.sql': 'SELECT {{sqlVal "a"}} AS v',
  'rec/int.read.sql': 'SELECT {{sqlVal "a"}}::int + 1 AS v',
  'rec/page.read.sql': 'SELECT * FROM test7 {{limitOffset ._page ._page_size}}',
  'rec/header.read.sql': `SELECT '{{index .header "X-Demo"}}' AS canonical, '{{index .header "x-demo"}}' AS lower, {{sqlVal "header.X-Demo"}}::text AS bound, {{sqlVal "header.x-demo"}}::text AS bound_lower`,
  'rec/host.read.sql': `SELECT '{{index .header "Host"}}' AS host, '{{index .header "Content-Length"}}' AS len, '{{index .header "User-Agent"}}' AS ua`,
  'rec/cred.read.sql': `SELECT '{{index .header "Authorization"}}{{index .header "Cookie"}}{{index .header "X-Api-Key"}}{{index .header "X-Auth-Token"}}{{index .header "X-Access-Token"}}{{index .header "Proxy-Authorization"}}' AS v`,
  'rec/in.read.sql': 'SELECT name FROM test7 WHERE name IN {{inFormat "n"}}',
  'rec/slice.read.sql': "SELECT '{{.a}}' AS v",
  'rec/list.read.sql': 'SELECT name FROM test7 WHERE name IN {{sqlList "n"}}',
  'rec/unique.write.sql': "INSERT INTO test3(name) VALUES ('prest')",
  'rec/sleep.read.sql': 'SELECT pg_sleep({{sqlVal "s"}}::float8)',
  'rec/one.read.sql': 'SELECT 2 AS a',
  'rec/repeated.read.sql': 'SELECT 1 AS zz, 2 AS a, 3 AS a UNION ALL SELECT 4, 5, 6',
} as const;
