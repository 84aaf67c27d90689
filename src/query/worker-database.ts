/**
 * One database as a worker uses it: the connections for scripts, those for read-only statements, which are borrowed from
 * the same quota, and what is remembered of the scripts that ran on it.
 */
import { ConnectionQuota, type BorrowerQuota } from '../pg/connection-quota.js';
import { Database } from '../pg/database.js';
import { ResultBudget } from '../pg/result-budget.js';
import { ScriptCost } from '../pg/script-cost.js';
import type { DatabaseSettings, WorkerSettings } from '../settings.js';
import type { Template } from '../template/template.js';
import { ServerJson } from './server-json.js';

export class WorkerDatabase {
  readonly database: Database;
  readonly serverJson: ServerJson;
  readonly #costs = new WeakMap<Template, ScriptCost>();
  /** The database of read-only connections, and their quota. */
  readonly #borrower: { readonly database: Database; readonly quota: BorrowerQuota } | undefined;

  /** `readOnly` are the settings of read-only connections; undefined when nothing uses them. */
  constructor(
    settings: DatabaseSettings,
    readOnly: DatabaseSettings | undefined,
    quota: ConnectionQuota,
    budget: ResultBudget,
  ) {
    const database = new Database(settings, budget, quota);
    this.database = database;
    this.serverJson = new ServerJson(database);
    if (readOnly === undefined) return;
    const borrowed = quota.lend(readOnly.connections, {
      wanted: () => database.applyQuota(),
      freed: () => borrower.applyQuota(),
      needed: () => borrower.closeIdle(),
    });
    const borrower = new Database(readOnly, budget, borrowed);
    this.#borrower = { database: borrower, quota: borrowed };
  }

  /** The database for read-only statements: on connections of its own, unless there is only one connection in all. */
  get readOnly(): Database {
    const borrower = this.#borrower;
    return borrower !== undefined && borrower.quota.limit > 0 ? borrower.database : this.database;
  }

  costOf(template: Template): ScriptCost {
    let cost = this.#costs.get(template);
    if (cost === undefined) this.#costs.set(template, (cost = new ScriptCost()));
    return cost;
  }

  applyQuota(): void {
    this.database.applyQuota();
    if (this.#borrower === undefined) return;
    const { database, quota } = this.#borrower;
    database.applyQuota();
    if (quota.limit === 0) database.moveWaiting(this.database);
  }
}

/** workerDatabases opens the databases of a worker, by alias. */
export function workerDatabases(settings: WorkerSettings): ReadonlyMap<string, WorkerDatabase> {
  const { maxResult, resultBudget, mcp } = settings;
  const budget = new ResultBudget(maxResult, resultBudget, new Int32Array(settings.sending));
  const connections = new Int32Array(settings.connections);
  return new Map(
    settings.databases.map((one, i) => [
      one.alias,
      new WorkerDatabase(
        one,
        mcp?.databases[i],
        new ConnectionQuota(connections, i),
        i === 0 ? budget : budget.another(),
      ),
    ]),
  );
}
