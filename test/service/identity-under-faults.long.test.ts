/**
 * Nobody ever gets what is another's, from the token to the answer: requests of two users and of nobody in turn, on few
 * connections to the database, while sessions are killed and what the scripts use changes under them.
 */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService, type Answer, type AskOptions } from '../support/service.js';
import { SECRET, signToken } from '../support/tokens.js';

/** At least: there are more until the last fault. */
const REQUESTS = 3_000;
const AT_A_TIME = 60;
const ROUNDS = 40;

const me = (condition: string): string => `CREATE OR REPLACE VIEW me AS
  SELECT current_user::text AS role, current_setting('request.jwt.claims', true)::json ->> 'sub' AS sub WHERE ${condition}`;

/**
 * Each round makes stale what returns a column of the table and what reads the view, and kills sessions. It runs in the
 * server, so that it keeps its pace however busy this process is, and waits until there are sessions again.
 */
const FAULTS = `DO $$ BEGIN
  FOR i IN 1..${ROUNDS} LOOP
    IF i % 2 = 0 THEN ALTER TABLE seen ALTER sub TYPE varchar; ${me('1 = 1')};
    ELSE ALTER TABLE seen ALTER sub TYPE text; ${me('true')}; END IF;
    COMMIT;
    INSERT INTO killed SELECT count(pg_terminate_backend(pid))
      FROM pg_stat_activity WHERE usename = 'authenticator' AND random() < 0.5;
    COMMIT;
    PERFORM pg_sleep(0.05);
    WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'authenticator') LOOP
      PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
    END LOOP;
  END LOOP;
END $$`;

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE web NOLOGIN; CREATE ROLE staff NOLOGIN; CREATE ROLE anon NOLOGIN;
    CREATE ROLE authenticator LOGIN NOINHERIT PASSWORD 'a';
    GRANT web, staff, anon TO authenticator;
    ${me('true')};
    CREATE TABLE seen (n int, role text, sub text); CREATE TABLE killed (n int);
    CREATE FUNCTION raises(text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE '%', $1; END $$;
    GRANT SELECT ON me TO web, staff, anon; GRANT SELECT, INSERT ON seen TO web, staff, anon`,
});
const { host, port } = postgres;

const service = await startService(t, {
  database: `postgres://authenticator:a@${host}:${port}/postgres`,
  scripts: {
    's/read.read.sql': 'SELECT {{sqlVal "n"}}::int AS n, role, sub FROM me',
    's/add.write.sql':
      'INSERT INTO seen SELECT {{sqlVal "n"}}::int, role, sub FROM me RETURNING n, role, sub',
    's/raise.read.sql': `SELECT raises(concat_ws(' ', {{sqlVal "n"}}::int, role, sub)) FROM me`,
  },
  config: {
    'auth.enabled': true,
    'auth.migrate_on_startup': false,
    'auth.settings': true,
    'auth.db_role': 'app.role',
    'auth.db_roles': ['web', 'staff', 'anon'],
    'auth.anonymous_role': 'anon',
    'http.host': '127.0.0.1',
    'jwt.key': SECRET,
    'jwt.whitelist': ['^/_QUERIES/s/.*$'],
    'pg.maxopenconn': 4,
  },
});

interface Caller {
  readonly role: string;
  readonly sub: string | null;
  readonly options: AskOptions;
}

function user(role: string, sub: string): Caller {
  const authorization = `Bearer ${signToken({ sub, app: { role } })}`;
  return { role, sub, options: { headers: { authorization } } };
}

const CALLERS: readonly Caller[] = [
  user('web', 'ann'),
  user('staff', 'bob'),
  { role: 'anon', sub: null, options: {} },
];

/** What a request may meet instead: its session killed or not to be had, or its plan stale a second time. */
const BEFALLS = /^(?:503 (?:57P01|08\w{3}|53300|busy)|500 (?:26000|0A000))$/;

/** What came of the n-th request: `own`, `raised` with its own message, an error that a fault explains; else all of it. */
async function outcome(n: number): Promise<string> {
  const { role, sub, options } = CALLERS[n % 3]!;
  const script = ['read', 'add', 'read', 'raise'][(n >> 2) % 4]!;
  const method = script === 'add' ? 'POST' : 'GET';
  let answer: Answer;
  try {
    answer = await service.ask(`s/${script}?n=${n}`, { method, ...options });
  } catch (error) {
    return `${script} ${n}: no answer, ${String(error)}`;
  }
  const { status, text, json } = answer;
  const { code, error } = json as { readonly code?: string; readonly error?: string };
  const said = `${status} ${code}`;
  if (BEFALLS.test(said)) return said;
  const message = [n, role, sub ?? []].flat().join(' ');
  if (script === 'raise' && said === '400 P0001' && error === message) return 'raised';
  const rows = [{ n, role, sub }];
  const own = JSON.stringify(script === 'add' ? { rows_affected: 1, rows } : rows);
  if (script !== 'raise' && status === 200 && JSON.stringify(json) === own) return 'own';
  return `${script} ${message}: ${status} ${text}`;
}

t.test('every answer is its own', async (t) => {
  let faulty = true;
  const faults = postgres.sql(FAULTS).finally(() => (faulty = false));
  const counts = new Map<string, number>();
  let asked = 0;
  const client = async (): Promise<void> => {
    while (asked < REQUESTS || faulty) {
      const came = await outcome(asked++);
      counts.set(came, (counts.get(came) ?? 0) + 1);
    }
  };
  await Promise.all([faults, ...Array.from({ length: AT_A_TIME }, client)]);

  const wrong = [...counts.keys()].filter(
    (came) => came !== 'own' && came !== 'raised' && !BEFALLS.test(came),
  );
  t.strictSame(wrong.slice(0, 10), [], 'no answer is wrong');
  t.comment(JSON.stringify([...counts].slice(0, 10)));
  let answers = 0;
  for (const count of counts.values()) answers += count;
  t.equal(answers, asked, 'or missing');
  t.ok(counts.get('own')! > asked / 2, 'most were answered');
  t.ok(counts.get('raised')! > asked / 10, 'also those that raise');
  const [row] = await postgres.sql<{ n: number }>('SELECT sum(n)::int AS n FROM killed');
  t.ok(row!.n > ROUNDS / 4, `${row!.n} sessions were killed`);
});

t.test('what was written was written by who asked for it', async (t) => {
  type Row = Pick<Caller, 'role' | 'sub'> & { readonly n: number };
  const rows = await postgres.sql<Row>('SELECT n, role, sub FROM seen');
  const stray = rows.filter(({ n, role, sub }) => {
    const caller = CALLERS[n % 3]!;
    return caller.role !== role || caller.sub !== sub;
  });
  t.strictSame(stray, []);
  t.equal(new Set(rows.map(({ n }) => n)).size, rows.length, 'and once');
});

t.test('after the faults everybody is answered', async (t) => {
  for (const [n, { role, sub, options }] of CALLERS.entries())
    t.strictSame(await service.rows(`s/read?n=${n}`, options), [{ n, role, sub }]);
});
