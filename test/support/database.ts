/** A Database of the pg layer over a test's PostgreSQL, with statements as promises. */
import { performance } from 'node:perf_hooks';
import type { Test } from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { ConnectionQuota } from '#app/postgres/connection/connection-quota.js';
import { Database } from '#app/postgres/lanes/database.js';
import type { Identity } from '#app/postgres/statement/identity.js';
import type {
  EarlierStatement,
  Job,
  Statement,
  StatementResult,
} from '#app/postgres/statement/job.js';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import type { SqlFailure } from '#app/postgres/statement/sql-failure.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import { databaseSettings } from './http-process.js';

export type Outcome = StatementResult | SqlFailure | ServiceError;

/** A script known to take that long, milliseconds. */
export function costOf(time: number): ScriptCost {
  const cost = new ScriptCost();
  while (!cost.known) cost.record(time, () => 1);
  return cost;
}

/** A script known to be fast: its statements share pipelines. */
export function fastCost(): ScriptCost {
  return costOf(0.1);
}

export interface JobOptions {
  readonly values?: (string | null)[];
  readonly cost?: ScriptCost;
  readonly identity?: Identity | undefined;
  readonly before?: readonly EarlierStatement[];
  readonly readOnly?: boolean;
}

/** patient is a connection string whose attempts to connect may take as long as a test. */
export function patient(conninfo: string): string {
  return conninfo.replace(/connect_timeout=\d+/, 'connect_timeout=250');
}

export class TestDatabase {
  readonly database: Database;
  readonly #allowed: Int32Array;

  constructor(
    t: Pick<Test, 'teardown'>,
    server: { readonly host: string; readonly port: number; readonly password: string },
    settings: Partial<DatabaseSettings> = {},
    budget = new ResultBudget(32 << 20, 256 << 20),
  ) {
    const usual = databaseSettings('test', server);
    const conninfo = `${patient(usual.conninfo)} application_name=tested`;
    // Waiting fails no statement of a test, unless the test is about it.
    const waits = { ...usual, conninfo, connectTimeout: 250_000 };
    const all = { ...waits, ...settings };
    this.#allowed = new Int32Array([all.connections, 0, 0]);
    this.database = new Database(all, budget, new ConnectionQuota(this.#allowed, 0));
    t.teardown(() => {
      this.database.close();
    });
  }

  /** allow changes how many connections there may be. */
  allow(connections: number): void {
    this.#allowed[0] = connections;
    this.database.applyQuota();
  }

  /** open is the number of connections counted. */
  get open(): number {
    return this.#allowed[1]!;
  }

  /** read runs a statement that only reads and gives its one value. */
  read(sql: string | Statement, options: JobOptions = {}): Promise<Outcome> {
    return this.run(sql, 'value', options).outcome;
  }

  /** write runs any statement. */
  write(sql: string | Statement, options: JobOptions = {}): Promise<Outcome> {
    return this.run(sql, 'rows', options).outcome;
  }

  /** run queues a statement; everything queued in one turn leaves together. */
  run(
    sql: string | Statement,
    form: Job['form'],
    options: JobOptions = {},
  ): { job: Job; outcome: Promise<Outcome> } {
    let settle!: (outcome: Outcome) => void;
    const outcome = new Promise<Outcome>((resolve) => (settle = resolve));
    const job: Job = {
      statement: typeof sql === 'string' ? { sql, recurs: false } : sql,
      values: options.values ?? [],
      form,
      identity: options.identity,
      before: options.before,
      rolledBack: options.readOnly === true ? 'READ ONLY' : undefined,
      cannotWrite: options.readOnly === true,
      cost: options.cost ?? fastCost(),
      attempts: 0,
      since: 0,
      abandoned: false,
      done: settle,
      failed: settle,
    };
    this.database.run(job, performance.now());
    queueMicrotask(() => this.database.flush());
    return { job, outcome };
  }
}

/** describe gives what matters of an outcome: its value or rows, or its SQLSTATE or code. */
export function describe(outcome: Outcome): string {
  if (outcome instanceof ServiceError) return outcome.code;
  if ('state' in outcome) return outcome.state;
  const { value, affected, columns, rows } = outcome;
  if (columns !== undefined) return JSON.stringify(rows);
  if (value === null) return `affected ${affected}`;
  return typeof value === 'string' ? value : value.text();
}
