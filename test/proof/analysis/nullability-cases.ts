/** Statements over tables with as many NULLs as their constraints allow, and which of their columns can be NULL. */

/** Tables, views and what makes a constraint worthless. `late` and `parent` break theirs as each version lets them. */
export const SCHEMA = `
  CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL, email text, boss int, born timestamp, tags text[]);
  INSERT INTO people VALUES (1, 'Ann', NULL, NULL, NULL, NULL), (2, 'Bob', 'b@x', 1, 'infinity', '{a,NULL}'),
    (3, '', NULL, 9, '-infinity', '{}');
  CREATE TABLE orders (id int PRIMARY KEY, person int NOT NULL, total numeric, data jsonb NOT NULL);
  INSERT INTO orders VALUES (1, 1, NULL, 'null'), (2, 7, 5, '{"a":null,"b":[null,1]}'), (3, 1, 3, '[null]');
  CREATE TABLE gaps (id int, x int);
  INSERT INTO gaps VALUES (NULL, NULL), (1, NULL), (NULL, 1), (8, 8);
  CREATE TABLE nothing (id int NOT NULL, x int);
  CREATE VIEW named AS SELECT id, name, email, upper(name) AS shout FROM people;
  CREATE VIEW joined AS SELECT p.id, p.name, o.id AS "order", o.total FROM people p LEFT JOIN orders o ON o.person = p.id;
  CREATE VIEW nested AS SELECT n.shout, j.* FROM joined j JOIN named n ON n.id = j.id;
  CREATE MATERIALIZED VIEW stored AS SELECT id FROM people;
  CREATE DOMAIN filled AS text NOT NULL;
  CREATE TABLE domains (d filled, n int NOT NULL);
  INSERT INTO domains SELECT (SELECT d FROM domains WHERE false), 1;
  CREATE TABLE ruled (id int NOT NULL);
  CREATE RULE other AS ON INSERT TO ruled DO INSTEAD INSERT INTO nothing VALUES (NEW.id) RETURNING x;
  CREATE VIEW triggered AS SELECT id, name FROM people;
  CREATE FUNCTION blank() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := NULL; RETURN NEW; END $$;
  CREATE TRIGGER blank INSTEAD OF INSERT OR UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION blank();
  CREATE FUNCTION null_strictly(int) RETURNS int LANGUAGE sql STRICT IMMUTABLE AS 'SELECT NULL::int';
  CREATE FUNCTION upper(int) RETURNS text LANGUAGE sql STRICT IMMUTABLE AS 'SELECT NULL::text';
  CREATE FUNCTION null_text(text, int) RETURNS text LANGUAGE sql STRICT IMMUTABLE AS 'SELECT NULL::text';
  CREATE OPERATOR + (LEFTARG = text, RIGHTARG = int, FUNCTION = null_text);
  CREATE FUNCTION pairs() RETURNS TABLE (a int, b int) LANGUAGE sql AS 'VALUES (1, NULL), (NULL, 2)';
  CREATE FOREIGN DATA WRAPPER far; CREATE SERVER far FOREIGN DATA WRAPPER far;
  CREATE FOREIGN TABLE remote (id int NOT NULL) SERVER far;
  CREATE TABLE parted (id int NOT NULL, x int NOT NULL) PARTITION BY LIST (id);
  CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
  INSERT INTO parted VALUES (1, 1);
  CREATE TABLE remote_parted (id int NOT NULL) PARTITION BY LIST (id);
  CREATE FOREIGN TABLE remote_part PARTITION OF remote_parted FOR VALUES IN (1) SERVER far;
  CREATE TABLE parent (id int NOT NULL, x int); CREATE TABLE child () INHERITS (parent);
  CREATE TABLE late (x int); INSERT INTO late VALUES (NULL);
  DO $$ BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
      EXECUTE 'ALTER TABLE late ADD CONSTRAINT late_x NOT NULL x NOT VALID';
      EXECUTE 'ALTER TABLE parent ADD CONSTRAINT parent_x NOT NULL x NO INHERIT';
    ELSE
      ALTER TABLE ONLY parent ALTER x SET NOT NULL;
    END IF;
  END $$;
  INSERT INTO child VALUES (1, NULL);
`;

export interface Case {
  readonly sql: string;
  /** For each column `!`: NOT NULL, or `?`: can be NULL. */
  readonly columns: string;
  /** Types of its parameters. */
  readonly parameters?: readonly string[];
  /** The first version that has it. */
  readonly since?: number;
  /** Whether it cannot be run here. */
  readonly unrun?: boolean;
}

type Row = readonly [sql: string, columns: string, more?: Omit<Case, 'sql' | 'columns'>];

const FROM_PEOPLE = 'FROM people p LEFT JOIN orders o ON o.person = p.id';
const INT = { parameters: ['integer'] };

const COLUMNS: readonly Row[] = [
  ['SELECT id, name, email FROM people', '!!?'],
  ['SELECT * FROM people', '!!????'],
  ['SELECT p, p.ctid, p.tableoid FROM people p', '!!!'],
  ['SELECT id FROM ONLY parent', '!'],
  ['SELECT id, x FROM parent', '!?'],
  ['SELECT x FROM late', '?', { since: 18 }],
  ['SELECT d, n FROM domains', '?!'],
  ['SELECT id, x FROM parted', '!!'],
  ['SELECT id FROM remote', '?', { unrun: true }],
  ['SELECT id FROM remote_parted', '?', { unrun: true }],
  ['SELECT id FROM stored', '?'],
  ['SELECT oid, relname, relacl FROM pg_class', '!!?'],
];

const VIEWS: readonly Row[] = [
  ['SELECT * FROM named', '!!?!'],
  ['SELECT * FROM joined', '!!??'],
  ['SELECT * FROM nested', '!!!??'],
  ['SELECT n FROM named n', '!'],
  ['SELECT n.id, n FROM orders o LEFT JOIN named n ON n.id = o.person', '??'],
  ['SELECT schemaname, tablename, tableowner FROM pg_tables', '?!?'],
];

const JOINS: readonly Row[] = [
  ['SELECT p.id, o.id FROM people p JOIN orders o ON o.person = p.id', '!!'],
  ['SELECT p.id, o.id FROM people p, orders o', '!!'],
  [`SELECT p.id, o.id, p.name, p, o ${FROM_PEOPLE}`, '!?!!?'],
  ['SELECT p.id, o.id FROM people p RIGHT JOIN orders o ON o.person = p.id', '?!'],
  ['SELECT p.id, o.id FROM people p FULL JOIN orders o ON o.person = p.id', '??'],
  ['SELECT p.id, o.id FROM people p CROSS JOIN orders o', '!!'],
  ['SELECT id, p.id, o.id FROM people p JOIN orders o USING (id)', '!!!'],
  ['SELECT id, p.id, o.id FROM people p LEFT JOIN orders o USING (id)', '!!?'],
  ['SELECT id, p.id, o.id FROM people p RIGHT JOIN orders o USING (id)', '!?!'],
  ['SELECT id, p.id, o.id FROM people p FULL JOIN orders o USING (id)', '!??'],
  ['SELECT id, p.id, g.id FROM people p FULL JOIN gaps g USING (id)', '???'],
  ['SELECT id FROM gaps g FULL JOIN people p USING (id)', '?'],
  ['SELECT id FROM gaps g LEFT JOIN people p USING (id)', '?'],
  ['SELECT id FROM people p FULL JOIN orders o USING (id) FULL JOIN parted q USING (id)', '!'],
  ['SELECT id FROM people p FULL JOIN orders o USING (id) FULL JOIN gaps q USING (id)', '?'],
  ['SELECT id FROM people p FULL JOIN gaps o USING (id) FULL JOIN parted q USING (id)', '?'],
  ['SELECT id FROM people p LEFT JOIN gaps o USING (id) FULL JOIN parted q USING (id)', '!'],
  [
    'SELECT j.id FROM gaps g LEFT JOIN (people p FULL JOIN orders o USING (id)) j ON j.id = g.x',
    '?',
  ],
  ['SELECT j.id, j.name FROM (people p JOIN orders o USING (id)) j', '!!'],
  ['SELECT j FROM (people p LEFT JOIN orders o USING (id)) j', '?'],
  ['SELECT id, name FROM people NATURAL LEFT JOIN gaps', '!!'],
  [
    'SELECT p.id, o.id, q.id FROM people p LEFT JOIN (orders o JOIN people q ON q.id = o.person) ON o.person = p.id',
    '!??',
  ],
  [
    'SELECT p.id, o.id, q.id FROM people p LEFT JOIN orders o ON false JOIN people q ON q.id = p.id',
    '!?!',
  ],
  [
    'SELECT p.id, o.id FROM people p LEFT JOIN orders o ON o.person = p.id RIGHT JOIN gaps g ON true',
    '??',
  ],
  [
    'SELECT p.id, s.n FROM people p LEFT JOIN LATERAL (SELECT p.id AS n WHERE p.id = 2) s ON true',
    '!?',
  ],
  ['SELECT p.id, s.n FROM people p CROSS JOIN LATERAL (SELECT p.id AS n, p.email) s', '!!'],
  ['SELECT s.* FROM people p CROSS JOIN LATERAL (SELECT p.email, p.id + 1) s', '?!'],
  ['SELECT s.n FROM gaps g LEFT JOIN people p ON p.id = g.x, LATERAL (SELECT p.id AS n) s', '?'],
];

const EXPRESSIONS: readonly Row[] = [
  ["SELECT 1, 'a', NULL, NULL::int, '{}'::jsonb, DATE 'infinity'", '!!??!!'],
  ['SELECT $1', '?', INT],
  ['SELECT COALESCE($1, 0), COALESCE($1, NULL), COALESCE($1, id) FROM people', '!?!', INT],
  ['SELECT email IS NULL, email IS DISTINCT FROM name, (email = name) IS TRUE FROM people', '!!!'],
  ['SELECT GREATEST(boss, id), LEAST(boss, NULL), NULLIF(id, 1) FROM people', '!??'],
  ['SELECT CASE WHEN boss > 1 THEN 1 ELSE 2 END, CASE WHEN boss > 1 THEN 1 END FROM people', '!?'],
  [
    'SELECT CASE boss WHEN 1 THEN id ELSE boss END, CASE id WHEN 1 THEN 2 ELSE id END FROM people',
    '?!',
  ],
  ['SELECT ROW(email), ARRAY[email], ARRAY(SELECT email FROM people) FROM people', '!!!'],
  ['SELECT ARRAY[NULL::int[]], (tags)[1], (ARRAY[1])[5] FROM people', '!??'],
  ["SELECT id + 1, -id, id * 2.5, id || name, name || 'x', name || email FROM people", '!!!!!?'],
  [
    "SELECT name LIKE '%a', name ~ 'a', name = email, id IN (1, 2), id IN (1, NULL) FROM people",
    '!!?!?',
  ],
  [
    'SELECT id = ANY (tags::int[]), id = ANY ($1), id = ALL (ARRAY[1, id]), boss = ANY (ARRAY[1]) FROM people',
    '??!?',
    {
      parameters: ['integer[]'],
      unrun: true,
    },
  ],
  [
    'SELECT id > 1 AND id < 5, id > 1 OR boss > 1, NOT id > 1, id BETWEEN 1 AND 2 FROM people',
    '!?!!',
  ],
  [
    'SELECT upper(name), lower(email), length(name), trim(name), left(name, 2) FROM people',
    '!?!!!',
  ],
  ["SELECT substring(name, 1, 2), substring(name from 'q'), substr(name, 2) FROM people", '!?!'],
  ['SELECT upper(id), null_strictly(id), name + id FROM people', '???'],
  [
    "SELECT concat(email, boss), concat_ws(',', email), format('%s', email), concat_ws(email, 'a') FROM people",
    '!!!?',
  ],
  ['SELECT concat(VARIADIC tags) FROM people', '?'],
  ["SELECT lower(int4range(NULL, 5)), upper('empty'::int4range)", '??'],
  ["SELECT to_char(id, '9'), to_char(born, 'YYYY') FROM people", '!?'],
  [
    "SELECT extract(hour FROM born), date_part('hour', born), born::time, date_trunc('day', born) FROM people",
    '????',
  ],
  ["SELECT date_trunc('day', TIMESTAMP 'infinity'), extract(hour FROM TIMESTAMP 'infinity')", '!?'],
  [
    'SELECT id::text, id::bigint, name::varchar(2), email::varchar(2), id::text::int FROM people',
    '!!!?!',
  ],
  ["SELECT data::text, data->'a', data->>'a', data || '{}' FROM orders", '!??!'],
  [
    "SELECT (data->'a')::text, to_jsonb(id), to_json(total), jsonb_build_object('a', total) FROM orders",
    '?!?!',
  ],
  [
    'SELECT array_length(tags, 1), cardinality(ARRAY[1]), array_length(ARRAY[]::int[], 1) FROM people',
    '?!?',
  ],
  [
    'SELECT now(), CURRENT_DATE, CURRENT_USER, CURRENT_SCHEMA, LOCALTIMESTAMP, CURRENT_CATALOG',
    '!!!?!!',
  ],
  [
    'SELECT name::filled, NULL::text COLLATE "C", name COLLATE "C" FROM people WHERE name <> \'\'',
    '!?!',
  ],
  ['SELECT (p).id, (p).name FROM people p', '!!'],
  ['SELECT (s.r).id FROM (SELECT p AS r FROM people p) s', '?'],
  ['SELECT jsonb_array_length(data) FROM orders WHERE id = 3', '!'],
  ["SELECT path '((0,0),(1,1))' + path '((0,0),(1,1))', point '(0,0)' + point '(1,1)'", '?!'],
  ["SELECT json_array(NULL), json_object('a': NULL)", '!!', { since: 16 }],
  ["SELECT json_value(data, '$.a'), json_query(data, '$.x') FROM orders", '??', { since: 17 }],
  ["SELECT data::int FROM orders WHERE data = 'null'", '?', { since: 18 }],
  ['SELECT data IS JSON FROM (SELECT data::text FROM orders) o', '!', { since: 16 }],
];

const QUERIES: readonly Row[] = [
  [
    'SELECT count(*), count(email), sum(id), max(name), array_agg(id) FROM nothing n JOIN people USING (id)',
    '!!???',
  ],
  ['SELECT name, count(*), max(id), max(email), avg(id) FROM people GROUP BY name', '!!!?!'],
  [
    "SELECT email, array_agg(boss), json_agg(boss), string_agg(name, ',') FROM people GROUP BY email",
    '?!!!',
  ],
  [
    'SELECT name, max(id) FILTER (WHERE false), count(*) FILTER (WHERE false) FROM people GROUP BY name',
    '!?!',
  ],
  ['SELECT name, stddev(id), array_agg(id ORDER BY email) FROM people GROUP BY name', '!?!'],
  ['SELECT max(id) FROM people HAVING count(*) > 0', '?'],
  ['SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY boss) FROM people GROUP BY id', '?'],
  ['SELECT name, id, count(*) FROM people GROUP BY ROLLUP (name, id)', '??!'],
  [
    "SELECT COALESCE(name, 'all'), COALESCE(name, email), grouping(name) FROM people GROUP BY ROLLUP (name, email)",
    '!?!',
  ],
  ["SELECT COALESCE(email, 'x') FROM people GROUP BY ROLLUP (COALESCE(email, 'x'))", '?'],
  ["SELECT COALESCE(email, 'x') || 'y' FROM people GROUP BY CUBE (COALESCE(email, 'x'))", '?'],
  ['SELECT (SELECT name), count(*) FROM people GROUP BY ROLLUP (name)', '?!'],
  [
    'SELECT name, max(id), array_agg(id) FROM nothing JOIN people USING (id) GROUP BY GROUPING SETS ((name), ())',
    '???',
  ],
  ['SELECT name, sum(id) FROM people GROUP BY name, ROLLUP (email)', '??'],
  [
    'SELECT row_number() OVER (), rank() OVER (ORDER BY id), lag(id) OVER (ORDER BY id) FROM people',
    '!!?',
  ],
  ['SELECT sum(id) OVER (ORDER BY id), sum(boss) OVER (), count(*) OVER () FROM people', '!?!'],
  ['SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM people', '?'],
  [
    'SELECT sum(id) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) FROM people',
    '?',
  ],
  ['SELECT max(id) FILTER (WHERE id = 1) OVER () FROM people', '?'],
  [
    'SELECT EXISTS (SELECT FROM people), (SELECT id FROM people LIMIT 1), (SELECT count(*) FROM nothing)',
    '!?!',
  ],
  [
    "SELECT (SELECT COALESCE(json_agg(n), '[]') FROM nothing n), (SELECT max(id) FROM nothing)",
    '!?',
  ],
  [
    'SELECT (SELECT count(*) FROM people HAVING false), (SELECT count(*) FROM people LIMIT 0)',
    '??',
  ],
  [
    'SELECT (SELECT count(*) FROM nothing GROUP BY id), (SELECT p.id), (SELECT p.email) FROM people p',
    '?!?',
  ],
  [
    'SELECT (SELECT 1 WHERE false), (SELECT generate_series(1, 0)), (SELECT 1 UNION SELECT 1)',
    '???',
  ],
  [
    'SELECT id IN (SELECT id FROM orders), id IN (SELECT boss FROM people), boss IN (SELECT 1) FROM people',
    '!??',
  ],
  ['SELECT id NOT IN (SELECT id FROM orders), id > ALL (SELECT id FROM gaps) FROM people', '!?'],
  ['SELECT s.* FROM (SELECT id, email, count(*) AS n FROM people GROUP BY id) s', '!?!'],
  ['SELECT s.n FROM people p LEFT JOIN (SELECT 1 AS n, id FROM orders) s ON s.id = p.id + 9', '?'],
  [
    'WITH c AS (SELECT id, email FROM people) SELECT a.id, b.id, b.email FROM c a LEFT JOIN c b ON b.id = a.id + 1',
    '!??',
  ],
  ['WITH c AS (SELECT id, email FROM people), d AS (SELECT * FROM c) SELECT * FROM d', '!?'],
  [
    'WITH c AS (SELECT 1 AS n) SELECT (WITH c AS (SELECT NULL::int AS n) SELECT n FROM c), n FROM c',
    '?!',
  ],
  [
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT n FROM c',
    '!',
  ],
  [
    'WITH RECURSIVE c(n, m) AS (SELECT 1, 1 UNION ALL SELECT m, NULLIF(n, 1) FROM c WHERE n = 1) SELECT * FROM c',
    '??',
  ],
  [
    'WITH RECURSIVE c AS (SELECT id, boss, 1 AS depth FROM people UNION ALL SELECT p.id, p.boss, c.depth + 1 ' +
      'FROM c JOIN people p ON p.id = c.boss) SELECT * FROM c',
    '!?!',
  ],
  [
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) CYCLE n SET seen USING way SELECT n, seen FROM c',
    '!?',
  ],
  ['WITH m AS (INSERT INTO nothing VALUES (1) RETURNING *) SELECT * FROM m', '!?'],
  ['SELECT id FROM people UNION SELECT id FROM orders', '!'],
  ['SELECT id FROM people UNION ALL SELECT boss FROM people', '?'],
  ['SELECT id, email FROM people UNION ALL SELECT NULL, NULL', '??'],
  ['SELECT boss FROM people INTERSECT SELECT id FROM people', '!'],
  ['SELECT boss FROM people INTERSECT SELECT x FROM gaps', '?'],
  ['SELECT id FROM people EXCEPT SELECT boss FROM people', '!'],
  ['SELECT boss FROM people EXCEPT SELECT id FROM people', '?'],
  ['(SELECT id FROM people UNION SELECT id FROM orders) EXCEPT SELECT x FROM gaps', '!'],
  ['SELECT s.id FROM (SELECT id FROM people UNION ALL SELECT x FROM gaps) s', '?'],
  ["VALUES (1, NULL, 'a'), (2, 'x', 'b')", '!?!'],
  ['VALUES (1), (NULL)', '?'],
  ['SELECT v.a, v.b FROM (VALUES (1, 2), (3, $1)) v(a, b)', '!?', INT],
  ['SELECT v FROM (VALUES (1)) v', '!'],
  ['SELECT id, email FROM people ORDER BY boss LIMIT 1 OFFSET 1', '!?'],
  ['SELECT DISTINCT ON (boss) boss, id FROM people ORDER BY boss', '?!'],
  ['SELECT id FROM people FOR UPDATE', '!'],
];

const CONDITIONS: readonly Row[] = [
  ['SELECT email, boss FROM people WHERE email IS NOT NULL', '!?'],
  ['SELECT email, boss FROM people WHERE email IS NOT NULL OR boss > 0', '??'],
  ['SELECT email, boss FROM people WHERE email = $1 AND boss > 0', '!!', { parameters: ['text'] }],
  ["SELECT email, tags FROM people WHERE email LIKE '%x' AND tags @> '{a}'", '!!'],
  ["SELECT email, boss FROM people WHERE email IN ('b@x', NULL) AND boss = ANY ('{1}')", '!!'],
  ["SELECT boss FROM people WHERE boss <> ALL ('{}'::int[])", '?'],
  ["SELECT boss FROM people WHERE NOT boss = ANY ('{}'::int[])", '?'],
  ['SELECT boss, email FROM people WHERE NOT boss = 2 AND (boss = 1) IS NOT UNKNOWN', '!?'],
  ['SELECT boss FROM people WHERE (boss = 1) IS NOT TRUE', '?'],
  ['SELECT boss FROM people WHERE (boss = 1) IS FALSE', '!'],
  ['SELECT boss FROM people WHERE NOT (boss = 1 AND id = 1)', '?'],
  ['SELECT boss FROM people WHERE NOT (boss IS NOT NULL AND id = 2)', '?'],
  ['SELECT boss FROM people WHERE boss IS NULL', '?'],
  ['SELECT boss FROM people WHERE boss IS NOT DISTINCT FROM NULL', '?'],
  ['SELECT boss FROM people WHERE COALESCE(boss, 1) = 1 AND boss + id > 0 IS NOT TRUE', '?'],
  ["SELECT email FROM people WHERE email || 'x' = 'b@xx' AND null_strictly(boss) = 1", '?'],
  [
    'SELECT boss FROM people WHERE EXISTS (SELECT WHERE boss = 1) AND id IN (SELECT boss FROM people)',
    '?',
  ],
  ['SELECT p FROM people p WHERE NOT p IS NULL', '!'],
  [`SELECT o.id, o.total ${FROM_PEOPLE} WHERE o.id IS NOT NULL`, '!?'],
  [`SELECT o.id, o.total ${FROM_PEOPLE} WHERE o.total > 0`, '?!'],
  ['SELECT g.x, g.id FROM people p JOIN gaps g ON g.x = p.id', '!?'],
  ['SELECT g.x, g.id FROM people p LEFT JOIN gaps g ON g.x = p.id', '??'],
  ['SELECT g.x, h.x FROM people p LEFT JOIN (gaps g JOIN gaps h ON g.x = h.x) ON g.x = p.id', '??'],
  ['SELECT id, g.x FROM gaps g JOIN (SELECT x AS id FROM gaps) h USING (id)', '!?'],
  [
    'SELECT o.id FROM gaps g JOIN (people p LEFT JOIN orders o ON o.person = p.id) ON o.id = g.id',
    '!',
  ],
  ['SELECT s.x FROM (SELECT x FROM gaps WHERE x > 0) s', '!'],
  ['SELECT s.x FROM people p LEFT JOIN (SELECT x FROM gaps WHERE x > 0) s ON s.x = p.id', '?'],
  ['SELECT x, max(x), count(*) FROM gaps WHERE x > 0 GROUP BY x', '!!!'],
  ['SELECT x, id, max(x) FROM gaps WHERE x > 0 AND id > 0 GROUP BY ROLLUP (x, id)', '???'],
  ['SELECT COALESCE(x, 5), x FROM gaps WHERE x > 0 GROUP BY ROLLUP (x)', '!?'],
  ['SELECT lag(x) OVER (ORDER BY x), x FROM gaps WHERE x > 0', '?!'],
  ['SELECT (SELECT x), (SELECT max(g.x)), x FROM gaps g WHERE x > 0 GROUP BY x', '!?!'],
  ['SELECT s.n, (SELECT g.id) FROM gaps g, LATERAL (SELECT g.x AS n) s WHERE g.x > 0', '!?'],
  ['SELECT g.x FROM gaps g, LATERAL (SELECT WHERE g.x > 0) s', '?'],
  ['UPDATE people SET email = NULL WHERE email IS NOT NULL RETURNING email', '?'],
  ['DELETE FROM people WHERE email IS NOT NULL RETURNING email', '?'],
];

const FUNCTIONS: readonly Row[] = [
  ['SELECT n FROM generate_series(1, 3) n', '!'],
  ['SELECT n FROM generate_series(1, $1) n', '!', INT],
  ['SELECT n, o FROM generate_series(1, 3) WITH ORDINALITY g(n, o)', '!!'],
  ['SELECT a, b FROM ROWS FROM (generate_series(1, 3), generate_series(1, 2)) g(a, b)', '??'],
  [
    'SELECT a, b, o FROM ROWS FROM (generate_series(1, 3), generate_series(1, 2)) WITH ORDINALITY g(a, b, o)',
    '??!',
  ],
  ['SELECT x FROM people, unnest(tags) x', '?'],
  ["SELECT x FROM unnest(ARRAY['a', 'b']) x", '!'],
  ["SELECT x FROM unnest(ARRAY['a', NULL]) x", '?'],
  ['SELECT x.* FROM unnest(ARRAY[1, 2], ARRAY[1]) x', '??'],
  ["SELECT x FROM unnest('{a,NULL}'::text[]) x", '?'],
  ['SELECT x.* FROM people p, unnest(ARRAY[p, p]) x', '??????', { unrun: true }],
  ['SELECT e FROM orders, jsonb_array_elements(data) e WHERE id = 3', '!'],
  ['SELECT key, value FROM orders, jsonb_each(data) WHERE id = 2', '!!'],
  ['SELECT key, value FROM orders, jsonb_each_text(data) WHERE id = 2', '!?'],
  ['SELECT e FROM orders, jsonb_array_elements_text(data) e WHERE id = 3', '?'],
  ['SELECT a, b, p FROM pairs() p', '???'],
  ['SELECT t, n FROM now() t, null_strictly(1) n, upper(1) u', '!?'],
  ['SELECT d FROM CURRENT_DATE d, CURRENT_SCHEMA s', '!'],
  ['SELECT generate_series(1, 3)', '!'],
  ['SELECT generate_series(1, 3), generate_series(1, 2)', '??'],
  ['SELECT unnest(tags) FROM people', '?'],
  ["SELECT regexp_split_to_table(name, ','), id FROM people", '!!'],
  ['SELECT p.id, n FROM people p LEFT JOIN generate_series(5, 6) n ON n = p.id', '!?'],
  ["SELECT x.* FROM json_to_recordset('[{}]') AS x(a int)", '?'],
  [
    "SELECT j.* FROM json_table('[1]', '$[*]' COLUMNS (o FOR ORDINALITY, a int PATH '$.x')) j",
    '??',
    { since: 17 },
  ],
];

const CHANGES: readonly Row[] = [
  ['INSERT INTO nothing (id) VALUES (1) RETURNING *, nothing', '!?!'],
  ['INSERT INTO nothing SELECT x, x FROM gaps WHERE x > 1 RETURNING id, x', '!?'],
  [
    'INSERT INTO people (id, name) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET email = NULL RETURNING *',
    '!!????',
    {
      parameters: ['text'],
      unrun: true,
    },
  ],
  ['INSERT INTO ruled VALUES (1) RETURNING id', '?'],
  ["INSERT INTO triggered VALUES (9, 'x') RETURNING id, name", '??'],
  ["UPDATE triggered SET name = 'x' RETURNING id, name", '??'],
  ['INSERT INTO parted VALUES (1, 2) RETURNING id, x', '!!'],
  ['INSERT INTO nothing VALUES (1) RETURNING (SELECT id), (SELECT x), id + 1', '!?!'],
  ['UPDATE people SET email = NULL RETURNING id, email, upper(name)', '!?!'],
  [
    'UPDATE people p SET email = o.total::text FROM orders o LEFT JOIN gaps g ON g.x = o.id WHERE o.person = p.id ' +
      'RETURNING p.id, o.id, g.x, o.total',
    '!!??',
  ],
  [
    'DELETE FROM orders USING people p WHERE p.id = person RETURNING orders.id, p.name, p.email',
    '!!?',
  ],
  ['DELETE FROM parent RETURNING id, x', '!?'],
  ['INSERT INTO nothing VALUES (1) RETURNING old.id, new.id, old, new', '?!?!', { since: 18 }],
  ['DELETE FROM people RETURNING old.id, new.id, id', '!?!', { since: 18 }],
  ['UPDATE people SET boss = 1 RETURNING old.id, new.id, new.boss', '!!?', { since: 18 }],
  [
    'MERGE INTO nothing n USING people p ON p.id = n.id WHEN NOT MATCHED THEN INSERT VALUES (p.id, NULL) ' +
      'RETURNING n.id, n.x, p.id, merge_action()',
    '!??!',
    { since: 17 },
  ],
  [
    'MERGE INTO people p USING gaps g ON g.x = p.id WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING p.id, g.x',
    '!?',
    { since: 17 },
  ],
  [
    'MERGE INTO people p USING orders o ON o.id = p.id + 90 WHEN NOT MATCHED BY SOURCE THEN DELETE ' +
      'RETURNING old.id, new.id, o.id',
    '???',
    { since: 18 },
  ],
  ['INSERT INTO nothing VALUES (1)', ''],
];

/** All cases, by what they are about. */
export const CASES: Readonly<Record<string, readonly Case[]>> = Object.fromEntries(
  Object.entries({
    COLUMNS,
    VIEWS,
    JOINS,
    EXPRESSIONS,
    QUERIES,
    CONDITIONS,
    FUNCTIONS,
    CHANGES,
  }).map(([name, rows]) => [
    name.toLowerCase(),
    rows.map(([sql, columns, more]) => ({ sql, columns, ...more })),
  ]),
);
