/**
 * Statements over `log.slow` in the log: which text of a script, how long it waited and ran, and how PostgreSQL 16 and newer
 * plan it. The plan is EXPLAIN (GENERIC_PLAN)'s, which runs nothing, at most once a minute for each script (plan-times.ts),
 * and only where a connection is idle. No line has SQL or values: of a plan it has the kinds of nodes, names and estimates alone.
 */
import { createHash } from 'node:crypto';
import type { Logger } from '../../observe/log.js';
import type { Database } from '../../postgres/lanes/database.js';
import { withTimeout, type Identity } from '../../postgres/statement/identity.js';
import type { Run } from '../../postgres/statement/job.js';
import { identifier, literal } from '../../base/quote.js';
import type { Rendered } from '../../template/template.js';
import type { RequestIds } from '../../observe/trace/trace-context.js';
import { readPlan, type Plan } from './plan.js';
import type { PlanTimes } from './plan-times.js';
import { tenths } from './timed-query.js';

export interface RanStatement {
  readonly ids: RequestIds;
  /** `<folder>/<script>`, `/<listing>`, or the name of a tool. */
  readonly script: string;
  readonly alias: string;
  /** Undefined for what no script has rendered. */
  readonly rendered: Rendered | undefined;
  /** Its text as it was sent; undefined for several statements. */
  readonly sql: string | undefined;
  /** The role and the claims that it ran under, without a time limit. */
  readonly identity: Identity | undefined;
  /** When it was queued, ms. */
  readonly since: number;
  readonly attempts: number;
}

/** The time limit of the query for a plan, ms. */
const PLAN_LIMIT = 500;

/** The first version of PostgreSQL with GENERIC_PLAN. */
const GENERIC_PLAN = 160_000;

/** The plan, once `explain` has run in the same transaction. */
const EXPLAINED = `SELECT pg_catalog.current_setting('service.plan')`;

const EXTENSION = `SELECT n.nspname FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'`;

export class SlowStatements {
  /** Time in the database, ms, from which a statement is slow; Infinity when none is. */
  readonly after: number;
  readonly #databaseOf: (alias: string) => Database;
  readonly #plans: PlanTimes;
  readonly #log: Logger;

  /** `after` is `log.slow`, ms, 0 for none. */
  constructor(
    after: number,
    databaseOf: (alias: string) => Database,
    plans: PlanTimes,
    log: Logger,
  ) {
    this.after = after === 0 ? Infinity : after;
    this.#databaseOf = databaseOf;
    this.#plans = plans;
    this.#log = log;
  }

  isSlow({ began, ended }: Run): boolean {
    return ended - began >= this.after;
  }

  /** log writes the line about a statement, after its plan if that is to be read. Never throws. */
  log(statement: RanStatement, run: Run): void {
    const { ids, script, alias, rendered, since, attempts } = statement;
    const fields = {
      ...ids,
      script,
      alias,
      ...(rendered && shapeOf(rendered)),
      lane: run.lane,
      wait: tenths(run.began - since),
      ms: tenths(run.ended - run.began),
      rows: run.rows,
      attempts,
      state: run.state,
    };
    const { sql } = statement;
    if (sql === undefined || !wasParsed(run) || !this.#isDue(statement)) {
      this.#log.warn(fields, SLOW);
      return;
    }
    // Afterwards its connection is idle, unless others wait.
    setImmediate(() => {
      this.#plan(statement, sql).then(
        (plan) => this.#log.warn({ ...fields, ...plan }, SLOW),
        (error: unknown) => this.#log.warn({ ...fields, err: error }, SLOW),
      );
    });
  }

  #isDue({ script, alias }: RanStatement): boolean {
    return this.#databaseOf(alias).version >= GENERIC_PLAN && this.#plans.isDue(alias, script);
  }

  async #plan(
    statement: RanStatement,
    sql: string,
  ): Promise<(Plan & Partial<Statistics>) | undefined> {
    const { script, alias } = statement;
    if (!this.#plans.take(alias, script)) return undefined; // another one was planned meanwhile
    const database = this.#databaseOf(alias);
    const identity = withTimeout(statement.identity, PLAN_LIMIT);
    const before = [{ statement: { sql: explain(sql), recurs: false }, values: [] }];
    const asked = database.querySpare(PLAN_LIMIT, EXPLAINED, [], {
      identity,
      before,
      asScript: true,
    });
    if (asked === undefined) {
      this.#plans.giveBack(alias, script);
      return undefined;
    }
    const { result } = await asked;
    const json = result?.rows?.[0]?.[0];
    const plan = typeof json === 'string' ? readPlan(json) : undefined;
    if (plan?.queryid === undefined) return plan;
    return { ...plan, ...(await this.#statistics(database, plan.queryid, identity)) };
  }

  /** What pg_stat_statements knows of a query, under the role of its caller; undefined where that cannot be read. */
  async #statistics(
    database: Database,
    queryid: string,
    identity: Identity,
  ): Promise<Statistics | undefined> {
    const found = await database.querySpare(PLAN_LIMIT, EXTENSION);
    const schema = found?.result?.rows?.[0]?.[0];
    if (typeof schema !== 'string') return undefined;
    // Without the texts of all queries, which are in a file.
    const sql = `SELECT sum(calls), sum(total_exec_time) / nullif(sum(calls), 0)
      FROM ${identifier(schema)}.pg_stat_statements(false) s
      JOIN pg_catalog.pg_database d ON d.oid = s.dbid AND d.datname = current_database()
      JOIN pg_catalog.pg_roles r ON r.oid = s.userid AND r.rolname = current_user
      WHERE s.queryid = $1::bigint`;
    const read = await database.querySpare(PLAN_LIMIT, sql, [queryid], { identity });
    const [calls, mean] = read?.result?.rows?.[0] ?? [];
    if (typeof calls !== 'string' || typeof mean !== 'string') return undefined;
    return { calls: Number(calls), mean: tenths(Number(mean)) };
  }
}

/** Whether PostgreSQL has parsed it, and so found it to be one statement: EXECUTE, in `explain`, would run others too. */
function wasParsed({ state }: Run): boolean {
  return state === undefined || state === QUERY_CANCELED;
}

/** SQLSTATE of a statement over its time limit. */
const QUERY_CANCELED = '57014';

/** Of a query, from pg_stat_statements: how often it ran, and the mean of its times, ms. */
interface Statistics {
  readonly calls: number;
  readonly mean: number;
}

const SLOW = 'a statement was slow';

/**
 * explain is a statement that puts the plan of another one into a setting of its transaction. EXPLAIN itself, sent with the
 * extended protocol, wants values for the parameters and plans for these values.
 */
function explain(sql: string): string {
  const text = literal(`EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) ${sql}`);
  return `DO ${literal(`DECLARE plan pg_catalog.text; BEGIN
    EXECUTE ${text} INTO plan;
    PERFORM pg_catalog.set_config('service.plan', plan, true);
  END`)}`;
}

/** Which text a script has rendered: a hash that does not depend on values, and the lines that it comes from. */
function shapeOf(rendered: Rendered): { readonly shape: string; readonly lines: string } {
  const hash = createHash('sha256');
  const lines = new Set<number>();
  let line = 1;
  for (const { text, state } of rendered.coverage()) {
    hash.update(`${state}\0${text}\0`);
    for (const one of text.split('\n')) {
      if (state === 'rendered' && one.trim() !== '') lines.add(line);
      line++;
    }
    line--;
  }
  return { shape: hash.digest('hex').slice(0, 8), lines: ranges([...lines]) };
}

/** ranges writes ascending numbers as `1-3,7`. */
function ranges(numbers: readonly number[]): string {
  const texts: string[] = [];
  for (let i = 0; i < numbers.length;) {
    const first = numbers[i]!;
    let last = first;
    while (numbers[++i] === last + 1) last++;
    texts.push(first === last ? String(first) : `${first}-${last}`);
  }
  return texts.join(',');
}
