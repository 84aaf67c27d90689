/** Scripts with what is rare in the forms, types and rows of results, and in what they take. */

export const ODD_TABLES = `
  CREATE TYPE state AS ENUM ('open', 'paid');
  CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
  CREATE TYPE pair AS (first integer, second text);
  CREATE TABLE parents (id integer PRIMARY KEY, name text NOT NULL);
  CREATE TABLE odd (
    id integer PRIMARY KEY, big bigint, exact numeric, small smallint, fraction real, wide double precision,
    flag boolean, at timestamptz, local timestamp, day date, hour time, span interval, bytes bytea, doc json, docb jsonb,
    list integer[], texts text[], kind state, amount positive, two pair, key uuid, address inet, bits bit(3), money money,
    range int4range, search tsvector, "char" "char", padded char(5), parent integer REFERENCES parents
  );
  INSERT INTO parents VALUES (1, 'a');
  INSERT INTO odd VALUES (
    1, 9223372036854775807, 1.50, 2, 0.5, 1e300, true, '2024-01-01T00:00:00Z', '2024-01-01 00:00', '2024-01-01', '12:00',
    '1 day', '\\x00ff', '{"a": [1]}', '"text"', '{1,NULL}', '{}', 'open', 3, '(1,x)', gen_random_uuid(), '10.0.0.0/8',
    '101', '1.00', '[1,2)', 'a b', 'x', 'ab', 1
  );
  INSERT INTO odd (id, doc, docb, fraction, wide) VALUES
    (2, NULL, NULL, 'NaN', 'Infinity'), (3, 'null', 'null', '-Infinity', 'NaN');
  CREATE TABLE things (id serial PRIMARY KEY, name text, size integer, doc bytea, tags text[], data jsonb);
  INSERT INTO things (name) VALUES ('one'), ('two');
`;

/** Values that some of them need. */
export const ODD_SAMPLES = { column: 'name', by: 'name', id: 1, number: 1 };

export interface OddScript {
  readonly file: string;
  readonly text: string;
  /** Ids of operations that never succeed. */
  readonly fails?: readonly string[];
}

export const ODD_SCRIPTS: readonly OddScript[] = [
  { file: 'odd/types.read.sql', text: 'SELECT * FROM odd' },
  { file: 'odd/types.write.sql', text: 'UPDATE odd SET small = small RETURNING *' },
  {
    file: 'odd/casts.read.sql',
    text: `SELECT 1::oid AS oid, 'odd'::regclass AS class, '<a/>'::xml AS xml, now()::timetz AS zone, ARRAY[now()] AS times, ARRAY[1.5] AS numbers, row(1, 'x') AS row, array_agg(o) AS rows, '"x"'::jsonb AS j FROM odd o`,
  },
  {
    file: 'odd/names.read.sql',
    text: `SELECT 1, 2 AS "a ""quoted"" näme", 3 AS id, 'x' AS id, NULL AS nothing`,
  },
  { file: 'odd/no-columns.read.sql', text: 'SELECT FROM odd' },
  {
    file: 'odd/outer.read.sql',
    text: 'SELECT o.id, p.name FROM odd o LEFT JOIN parents p ON p.id = o.parent',
  },
  { file: 'odd/perhaps.read.sql', text: 'SELECT {{if isSet "id"}}id{{end}} FROM things' },
  {
    file: 'odd/covered.read.sql',
    text: `SELECT id${Array.from({ length: 13 }, (_, i) => `{{if isSet "p${i}"}}, ${i} AS c${i}{{end}}`).join('')} FROM things`,
  },
  {
    file: 'odd/forms.read.sql',
    text: `SELECT id{{if isSet "more"}}, name{{else if eq .by "size"}}, size AS name{{end}} FROM things`,
  },
  { file: 'odd/empty.read.sql', text: 'SELECT id FROM things WHERE false' },
  {
    file: 'odd/one.read.sql',
    text: '-- @one\n-- @path /odd/{id}\n-- @header ETag: "{id}"\n-- @header X-Kind: odd\nSELECT id, kind FROM odd WHERE id = {{sqlVal "id"}}::int',
  },
  {
    file: 'odd/none.read.sql',
    text: '-- @one\nSELECT id FROM odd WHERE false',
    fails: ['read_odd_none'],
  },
  {
    file: 'odd/scalar.read.sql',
    text: '-- @scalar\nSELECT big FROM odd WHERE id = {{sqlVal "id"}}::int',
  },
  {
    file: 'odd/scalars.read.sql',
    text: `-- @scalar\nSELECT {{if isSet "text"}}'x'{{else}}count(*){{end}} FROM odd`,
  },
  {
    file: 'odd/columns.read.sql',
    text: 'SELECT {{ident "column"}} FROM things',
  },
  {
    file: 'odd/alias.read.sql',
    text: 'SELECT id, {{if eq .column "name"}}{{ident "column"}}{{else}}size{{end}} AS value FROM things',
  },
  {
    file: 'odd/sorted.read.sql',
    text: 'SELECT id, name FROM things ORDER BY {{if isSet "by"}}{{ident "by"}}{{else}}id{{end}} {{limitOffset ._page ._page_size}}',
  },
  { file: 'odd/broken.read.sql', text: 'SELECT id{{if isSet "x"}}, gone{{end}} FROM things' },
  {
    file: 'odd/header.read.sql',
    text: `-- @param header.X-Size integer min=0\n-- @param header.Accept text\nSELECT id FROM things WHERE size IS NOT DISTINCT FROM {{sqlVal "header.X-Size"}}::int AND {{sqlVal "header.Accept"}}::text <> ''`,
  },
  {
    file: 'odd/dates.read.sql',
    text: '-- @param day date min=2024-01-01\n-- @param big bigint max=9223372036854775806\n-- @param code text pattern=(?i)[a-z]+\n-- @param word text pattern=[a-z]+ maxlength=5 = tea\n-- @param on boolean = yes\n-- @param at timestamp\n-- @param many integer[] = 1,2\n-- @param j json = {"a":1}\nSELECT {{sqlVal "day"}}::date AS day, {{sqlVal "big"}}::bigint AS big, {{sqlVal "code"}}::text AS code, {{sqlVal "word"}}::text AS word, {{sqlVal "on"}}::bool AS on, {{sqlVal "at"}}::timestamp AS at, {{sqlVal "many"}}::int[] AS many, {{sqlVal "j"}}::json AS j',
  },
  {
    file: 'odd/strict.read.sql',
    text: '-- Strict things: see below.\n-- @strict\n-- @deprecated 2024-01-01\nSELECT id FROM things WHERE id IN {{sqlList "id"}}',
  },
  {
    file: 'odd/condition.read.sql',
    text: `SELECT id FROM things WHERE true{{if eq .by "size"}} AND size > {{.size}}{{end}}`,
  },
  { file: 'odd/plain.write.sql', text: 'INSERT INTO things (name) VALUES ({{sqlVal "name"}})' },
  {
    file: 'odd/sometimes.write.sql',
    text: 'INSERT INTO things (name) VALUES (\'x\'){{if isSet "rows"}} RETURNING id{{end}}',
  },
  {
    file: 'odd/silent.delete.sql',
    text: '-- @status 204\nDELETE FROM things WHERE id = {{sqlVal "id"}}::int + 1000',
  },
  {
    file: 'odd/created.write.sql',
    text: '-- @one\n-- @status 201\n-- @path /things\n-- @header Location: /things/{id}\nINSERT INTO things (name, size) VALUES ({{sqlVal "body.name"}}, {{sqlVal "body.size"}}::int) RETURNING id, name, size',
  },
  {
    file: 'odd/count.write.sql',
    text: '-- @scalar\nINSERT INTO things (name) VALUES (NULL) RETURNING name',
  },
  {
    file: 'odd/several.write.sql',
    text: "INSERT INTO things (name) VALUES ('s'); SELECT count(*) AS count, max(name) AS last FROM things",
  },
  { file: 'odd/table.write.sql', text: 'CREATE TABLE IF NOT EXISTS made (id int)' },
  {
    file: 'odd/nested.write.sql',
    text: '-- @param body.place.city text required\n-- @param body.price numeric = 12345678901234567890\nINSERT INTO things (name, size, data) VALUES ({{sqlVal "body.place.city"}}, {{sqlVal "body.place.size"}}::int, {{sqlVal "body.data"}}::jsonb) RETURNING data, {{sqlVal "body.price"}}::numeric AS price',
  },
  {
    file: 'odd/file.write.sql',
    text: 'INSERT INTO things (doc, name) VALUES ({{sqlVal "body.doc"}}::bytea, {{sqlVal "body.doc.filename"}}) RETURNING doc, name',
  },
  {
    file: 'odd/whole.write.sql',
    text: `INSERT INTO things (data) VALUES ({{sqlVal "request.body"}}::jsonb) RETURNING data`,
  },
  {
    file: 'odd/text.write.sql',
    text: `INSERT INTO things (name) VALUES ({{sqlVal "request.body"}}) RETURNING name`,
  },
  {
    file: 'odd/bytes.write.sql',
    text: `INSERT INTO things (doc) VALUES ({{sqlVal "request.body"}}::bytea) RETURNING doc`,
  },
  {
    file: 'odd/conflict.write.sql',
    text: `INSERT INTO parents VALUES (1, 'b')`,
    fails: ['write_odd_conflict'],
  },
  {
    file: 'odd/raised.write.sql',
    text: `SELECT id FROM (SELECT 1 / 0 AS id) x`,
    fails: ['write_odd_raised'],
  },
  {
    file: 'odd/change.update.sql',
    text: '-- @path PATCH /things/{id}\nUPDATE things SET size = {{sqlVal "size"}}::int WHERE id = {{sqlVal "id"}}::int RETURNING id, size',
  },
  {
    file: 'odd/change.delete.sql',
    text: '-- @path /things/{number}\nDELETE FROM things WHERE id = {{sqlVal "number"}}::int + 1000 RETURNING id',
  },
  {
    file: 'odd_one/path.read.sql',
    text: '-- @path /%C3%A4/{a}/b%2Fc/{b}\nSELECT {{sqlVal "a"}}::text AS a',
  },
  { file: 'odd/one_path.read.sql', text: 'SELECT 1 AS n' },
];
