/**
 * No statement runs under another's identity: statements of three users in turn on few shared connections, while some
 * fail, time out and are cancelled, identities are rejected, sessions are terminated, a table changes under its plans
 * and prepared statements are dropped.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { identityOf, type Identity } from '#app/postgres/statement/identity.js';
import type { Job, Statement, StatementResult } from '#app/postgres/statement/job.js';
import type { SqlFailure } from '#app/postgres/statement/sql-failure.js';
import { describe, fastCost, TestDatabase, type Outcome } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { asAuthenticator, ROLES } from '../roles.js';

const REQUESTS = 10_000;
const AT_A_TIME = 100;
const SEES = `current_user || ' ' || coalesce(nullif(current_setting('request.jwt.claims', true), ''), '-')`;

/** The statements; `$1` is the number of the request. */
const WHO: Statement = { sql: `SELECT ${SEES} || ' ' || $1`, recurs: true };
const WHO_ONCE: Statement = { ...WHO, recurs: false };
const ADDS: Statement = {
  sql: `INSERT INTO seen VALUES ($1::int, ${SEES} || ' ' || $1::int) RETURNING who`,
  recurs: true,
};
const FAILS: Statement = { sql: `SELECT (1 / ($1::int - $1::int))::text`, recurs: true };
const RAISES: Statement = { sql: `SELECT raises(${SEES} || ' ' || $1)`, recurs: true };
const SLEEPS: Statement = { sql: `SELECT ${SEES} || ' ' || $1 || pg_sleep(5)`, recurs: true };
/** Drops every statement prepared on its connection, identity statements too; the command tag does not show it. */
const FORGETS: Statement = { sql: `SELECT forgets(${SEES} || ' ' || $1)`, recurs: false };

/** Outcomes of a fault: the connection was lost, the statement cancelled, or its prepared statement stale a second time. */
const FAULTS = ['57014', '57P01', '08006', '08007', '08001', '26000', '0A000'];

class NumberedJob implements Job {
  readonly cost = cost;
  readonly cannotWrite = false;
  readonly form;
  readonly values;
  attempts = 0;
  since = 0;
  abandoned = false;
  readonly outcomes: Outcome[] = [];

  readonly statement: Statement;
  readonly identity: Identity | undefined;
  /** What it selects if it runs under its own identity. */
  readonly own: string;
  readonly #ended: () => void;

  constructor(
    statement: Statement,
    identity: Identity | undefined,
    own: string,
    n: number,
    ended: () => void,
  ) {
    this.statement = statement;
    this.identity = identity;
    this.own = own;
    this.#ended = ended;
    this.form = statement === ADDS ? ('rows' as const) : ('value' as const);
    this.values = [String(n)];
  }

  done(result: StatementResult): void {
    this.outcomes.push(result);
    this.#ended();
  }

  failed(failure: SqlFailure | ServiceError): void {
    this.outcomes.push(failure);
    this.#ended();
  }

  /** Its only outcome: `own`, `failed` as expected, hit by a `fault`; else what is wrong. */
  get verdict(): string {
    if (this.outcomes.length !== 1) return `${this.outcomes.length} outcomes`;
    const [outcome] = this.outcomes as [Outcome];
    const seen = describe(outcome);
    if (FAULTS.includes(seen)) return 'fault';
    const rejected = this.identity?.role === 'stranger';
    if (rejected) return seen === 'permission_denied' ? 'failed' : `stranger: ${seen}`;
    if (this.statement === FAILS) return seen === '22012' ? 'failed' : `failing: ${seen}`;
    if (this.statement === RAISES && 'message' in outcome && seen === 'P0001')
      return outcome.message === this.own ? 'failed' : `${this.own}: raised ${outcome.message}`;
    if (this.abandoned && seen === 'timeout') return 'fault';
    const own = this.form === 'rows' ? JSON.stringify([[this.own]]) : this.own;
    return seen === own ? 'own' : `${own}: ${seen}`;
  }
}

const server = await startPostgres(t, {
  setup: `${ROLES};
    CREATE TABLE seen (n int, who text);
    GRANT ALL ON seen TO ann, bob, authenticator;
    CREATE FUNCTION raises(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE '%', $1; END $$;
    CREATE FUNCTION forgets(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN $1; END $$`,
});
const cost = fastCost();

/** The n-th job: identities alternate, statements are mixed. */
function jobOf(n: number, ended: () => void): NumberedJob {
  const claims = `{"n":${n}}`;
  const seen = (who: string): string => `${who} ${n}`;
  const kind = (n * 7919) % 500;
  let statement = [WHO, ADDS, WHO_ONCE, FAILS, RAISES][n % 5]!;
  if (kind < 2) statement = SLEEPS;
  else if (kind < 6) statement = FORGETS;
  if (kind > 490) return new NumberedJob(statement, identityOf('stranger', claims), '', n, ended);
  switch (n % 3) {
    case 0:
      return new NumberedJob(statement, identityOf('ann', claims), seen(`ann ${claims}`), n, ended);
    case 1:
      return new NumberedJob(statement, identityOf('bob', claims), seen(`bob ${claims}`), n, ended);
    default:
      return new NumberedJob(statement, undefined, seen('authenticator -'), n, ended);
  }
}

for (const prepared of [true, false])
  t.test(prepared ? 'prepared' : 'unprepared', async (t) => {
    const { conninfo } = asAuthenticator(server);
    const db = new TestDatabase(t, server, {
      conninfo: `${conninfo} options='-c statement_timeout=25'`,
      connections: 3,
      prepared,
    });
    const { database } = db;
    const all: NumberedJob[] = [];
    let ending = false;
    const faults = async (): Promise<void> => {
      for (let i = 0; !ending; i++) {
        const end = i % 3 === 2 ? 'pg_terminate_backend' : 'pg_cancel_backend';
        await server.sql(
          `SELECT ${end}(pid) FROM pg_stat_activity WHERE usename = 'authenticator' AND random() < 0.6`,
        );
        // Makes every plan with this column stale.
        await server.sql(`ALTER TABLE seen ALTER who TYPE ${i % 2 ? 'text' : 'varchar'}`);
        await sleep(10);
      }
    };
    const faulty = faults();
    await new Promise<void>((resolve) => {
      let left = REQUESTS;
      let open = 0;
      const ended = (): void => {
        open--;
        if (--left === 0) resolve();
        else if (open < AT_A_TIME / 2) setImmediate(more);
      };
      const more = (): void => {
        const now = performance.now();
        while (open < AT_A_TIME && all.length < REQUESTS) {
          open++;
          const job = jobOf(all.length, ended);
          all.push(job);
          database.run(job, now);
          if (job.statement === SLEEPS && job.values[0]!.endsWith('1')) job.abandoned = true;
        }
        database.flush();
      };
      more();
    });
    ending = true;
    await faulty;
    const counts: Record<string, number> = { own: 0, failed: 0, fault: 0 };
    const wrong: string[] = [];
    for (const { verdict } of all)
      if (verdict in counts) counts[verdict]!++;
      else wrong.push(verdict);
    t.strictSame(wrong.slice(0, 10), [], 'no outcome is wrong or missing');
    t.comment(JSON.stringify(counts));
    t.ok(counts['own']! > REQUESTS / 3, 'most succeeded');
    t.ok(counts['failed']! > REQUESTS / 10, 'some failed as expected');
    t.ok(counts['fault']! > 20, 'some met a fault');
    t.ok(counts['fault']! < REQUESTS / 50, 'few met one that was not recovered');
    const forgotten = all.filter((job) => job.statement === FORGETS && job.verdict === 'own');
    t.ok(forgotten.length > 50, 'statements were dropped');
    const rows = await server.sql<{ n: number; who: string }>('SELECT n, who FROM seen');
    const stray = rows.filter(({ n, who }) => who !== all[n]!.own);
    t.strictSame(stray, [], 'rows were written under the identity of their job');
    t.equal(new Set(rows.map(({ n }) => n)).size, rows.length, 'and once');
    await server.sql('TRUNCATE seen');
    const settled = ['ann', 'bob', ''].map((role) =>
      db.read(`SELECT ${SEES}`, { identity: identityOf(role, (role && '{}') || undefined) }),
    );
    t.strictSame((await Promise.all(settled)).map(describe), [
      'ann {}',
      'bob {}',
      'authenticator -',
    ]);
  });
