/** The requests of the campaign: scripts, what they are asked, and the one answer that belongs to each request. */
import { createHash } from 'node:crypto';
import type { Random } from '../../bench/random.js';

export interface RequestKind {
  readonly name: string;
  /** How often it is sent in comparison with the others. */
  readonly weight: number;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and text of its script. */
  readonly script: readonly [path: string, text: string];
  /** Query parameters besides `n`. */
  readonly query?: (n: number) => string;
  readonly status: number;
  /** The JSON that the n-th request must be answered. */
  readonly expected: (n: number) => unknown;
  /** Whether it inserts its number into `written`; `always`: also when its answer is an error. */
  readonly writes?: true | 'always';
}

export const ITEMS = 1000;
export const COUNTERS = 64;

const itemOf = (n: number): number => (n % ITEMS) + 1;
const rowOf = (id: number, n: number): object => ({ id, label: `label ${id}`, n });
const inserted = (n: number): unknown => ({ rows_affected: 1, rows: [{ n }] });
const N = '{{sqlVal "n"}}::bigint';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** A text that no SQL would survive unbound, of a length that varies. */
const textOf = (n: number): string => `'${n}"; -- ${'é€😀\\\t'.repeat(n % 40)}`;

/** Bytes of the large answer; its text is the MD5 sum of n, over and over. */
const LARGE = 2 << 20;

export const MIX: readonly RequestKind[] = [
  {
    name: 'one',
    weight: 30,
    method: 'GET',
    script: [
      'mix/one.read.sql',
      `SELECT id, label, ${N} AS n FROM item WHERE id = {{sqlVal "id"}}::int`,
    ],
    query: (n) => `id=${itemOf(n)}`,
    status: 200,
    expected: (n) => [rowOf(itemOf(n), n)],
  },
  {
    name: 'page',
    weight: 5,
    method: 'GET',
    script: [
      'mix/page.read.sql',
      `SELECT id, label, ${N} AS n FROM item ORDER BY id {{limitOffset ._page ._page_size}}`,
    ],
    query: (n) => `_page=${(n % 50) + 1}&_page_size=20`,
    status: 200,
    expected: (n) => Array.from({ length: 20 }, (_, i) => rowOf((n % 50) * 20 + i + 1, n)),
  },
  {
    name: 'echo',
    weight: 15,
    method: 'GET',
    script: ['mix/echo.read.sql', `SELECT ${N} AS n, {{sqlVal "text"}} AS text`],
    query: (n) => `text=${encodeURIComponent(textOf(n))}`,
    status: 200,
    expected: (n) => [{ n, text: textOf(n) }],
  },
  {
    name: 'interpolated',
    weight: 10,
    method: 'GET',
    script: [
      'mix/interpolated.read.sql',
      `SELECT id, label, {{.n}} AS n FROM item WHERE id = {{.id}}`,
    ],
    query: (n) => `id=${itemOf(n)}`,
    status: 200,
    expected: (n) => [rowOf(itemOf(n), n)],
  },
  {
    name: 'insert',
    weight: 12,
    method: 'POST',
    script: ['mix/insert.write.sql', `INSERT INTO written VALUES (${N}, 'insert') RETURNING n`],
    status: 200,
    expected: inserted,
    writes: true,
  },
  {
    name: 'count',
    weight: 8,
    method: 'PUT',
    script: [
      'mix/count.update.sql',
      `WITH noted AS (INSERT INTO written VALUES (${N}, 'count') RETURNING n)
       UPDATE counter SET value = value + 1 FROM noted WHERE id = noted.n % ${COUNTERS} RETURNING noted.n`,
    ],
    status: 200,
    expected: inserted,
    writes: true,
  },
  {
    name: 'insert by GET',
    weight: 8,
    method: 'GET',
    script: ['mix/touch.read.sql', `SELECT touch(${N}) AS n`],
    status: 200,
    expected: (n) => [{ n }],
    writes: true,
  },
  {
    name: 'raise',
    weight: 4,
    method: 'GET',
    script: ['mix/raise.read.sql', `SELECT raises(${N}) AS n`],
    status: 400,
    expected: (n) => ({ error: `raised ${n}`, code: 'P0001' }),
  },
  {
    name: 'slow',
    weight: 3,
    method: 'GET',
    script: ['mix/slow.read.sql', `SELECT ${N} AS n FROM pg_sleep(0.04)`],
    status: 200,
    expected: (n) => [{ n }],
  },
  {
    name: 'series',
    weight: 1,
    method: 'GET',
    // Its rows are kept in a file when work_mem is small.
    script: [
      'mix/series.read.sql',
      `SELECT ${N} AS n, count(*) AS rows FROM (SELECT i FROM generate_series(1, 20000) i OFFSET 0) s`,
    ],
    status: 200,
    expected: (n) => [{ n, rows: 20_000 }],
  },
  {
    name: 'large',
    weight: 0.4,
    method: 'GET',
    script: [
      'mix/large.read.sql',
      `SELECT n, md5(text) AS sum, text FROM (SELECT ${N} AS n, repeat(md5({{sqlVal "n"}}), ${LARGE / 32}) AS text) s`,
    ],
    status: 200,
    expected: (n) => {
      const text = md5(String(n)).repeat(LARGE / 32);
      return [{ n, sum: md5(text), text }];
    },
  },
];

/** Makes its connection forget what was prepared on it. */
export const FORGET: RequestKind = {
  name: 'DEALLOCATE ALL',
  weight: 2,
  method: 'GET',
  script: ['mix/forget.read.sql', `SELECT forget(${N}) AS n`],
  status: 200,
  expected: (n) => [{ n }],
};

/** commitThenRaise inserts its number, commits, and raises an SQLSTATE that a stale prepared statement has too. */
export function commitThenRaise(state: '26000' | '0A000'): RequestKind {
  return {
    name: `commit, then ${state}`,
    weight: 10,
    method: 'POST',
    script: [`mix/raise${state}.write.sql`, `CALL commit_then_raise(${N}, '${state}')`],
    status: 500,
    expected: () => ({ error: 'could not execute sql, check your service logs', code: state }),
    writes: 'always',
  };
}

export const OTHERS: readonly RequestKind[] = [
  FORGET,
  commitThenRaise('26000'),
  commitThenRaise('0A000'),
];

/** scripts are the texts of all kinds by path. */
export function scripts(): Record<string, string> {
  return Object.fromEntries([...MIX, ...OTHERS].map(({ script }) => script));
}

export function kindNamed(name: string): RequestKind {
  return [...MIX, ...OTHERS].find((kind) => kind.name === name)!;
}

/** pick is one of the kinds, by weight. */
export function pickKind(kinds: readonly RequestKind[], random: Random): RequestKind {
  let at = random.next() * kinds.reduce((sum, { weight }) => sum + weight, 0);
  return kinds.find(({ weight }) => (at -= weight) < 0) ?? kinds[0]!;
}

/** bytesOf is the request as it is sent; its number is in the query and in X-Request-Id. */
export function bytesOf(kind: RequestKind, n: number): string {
  const { method, script, query } = kind;
  const target = `/_QUERIES/${script[0].replace(/\.\w+\.sql$/, '')}?n=${n}&${query?.(n) ?? ''}`;
  const body = method === 'GET' ? '' : 'Content-Length: 0\r\n';
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r${n}\r\n${body}\r\n`;
}

/** SQL of what the scripts use; they run as role `app`. */
export const TABLES = `
  CREATE TABLE item (id int PRIMARY KEY, label text NOT NULL);
  INSERT INTO item SELECT i, 'label ' || i FROM generate_series(1, ${ITEMS}) i;
  CREATE TABLE written (n bigint NOT NULL, kind text NOT NULL);
  CREATE TABLE counter (id int PRIMARY KEY, value bigint NOT NULL);
  INSERT INTO counter SELECT i, 0 FROM generate_series(0, ${COUNTERS - 1}) i;
  CREATE FUNCTION touch(bigint) RETURNS bigint LANGUAGE sql AS
    $$ INSERT INTO written VALUES ($1, 'touch') RETURNING n $$;
  CREATE FUNCTION raises(bigint) RETURNS bigint LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'raised %', $1; END $$;
  CREATE FUNCTION forget(bigint) RETURNS bigint LANGUAGE plpgsql AS
    $$ BEGIN DEALLOCATE ALL; RETURN $1; END $$;
  CREATE PROCEDURE commit_then_raise(n bigint, state text) LANGUAGE plpgsql AS
    $$ BEGIN
      INSERT INTO written VALUES (n, 'commit_then_raise');
      COMMIT;
      RAISE USING ERRCODE = state, MESSAGE = CASE state
        WHEN '26000' THEN 'prepared statement "s1" does not exist'
        ELSE 'cached plan must not change result type' END;
    END $$;
  GRANT SELECT, INSERT, UPDATE ON item, written, counter TO app;`;
