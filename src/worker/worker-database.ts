/**
 * One database as a worker uses it: its server, or the servers of a database with replicas, and the state kept of the
 * scripts that ran on it.
 */
import type { Logger } from '../observe/log.js';
import type { Runner } from '../mcp/tables/read-only.js';
import { SCRIPTS } from '../observe/metrics/catalogue.js';
import { row } from '../observe/metrics/thread.js';
import { ConnectionQuota } from '../postgres/connection/connection-quota.js';
import type { Database } from '../postgres/lanes/database.js';
import type { Engine } from '../base/engine.js';
import type { Job } from '../postgres/statement/job.js';
import { KnownPrimaries } from '../postgres/servers/known-primaries.js';
import { PrimaryDatabase } from '../postgres/servers/primary-database.js';
import { requestedPosition } from '../postgres/servers/requested-position.js';
import { StatementFailure, type ServiceDatabase } from '../postgres/statement/queryable.js';
import { ResultBudget } from '../postgres/connection/result-budget.js';
import { ScriptCost } from '../postgres/statement/script-cost.js';
import { Server } from '../postgres/servers/server.js';
import { Servers } from '../postgres/servers/servers.js';
import { allServers, type DatabaseSettings } from '../messages/database-settings.js';
import type { WorkerSettings } from '../messages/worker-settings.js';
import type { Template } from '../template/template.js';
import type { Probed } from '../messages/tasks.js';
import { serverReport } from './server-report.js';
import { ServerJson } from './responses/server-json.js';

/** How long the first probe waits for the choice of a primary, ms. */
const PATIENCE = 1_000;

export class WorkerDatabase {
  /** For statements of the service itself, on the primary. */
  readonly database: ServiceDatabase;
  /** Of its first server. */
  readonly settings: DatabaseSettings;
  readonly serverJson: ServerJson;
  /** Undefined without replicas. */
  readonly servers: Servers | undefined;
  readonly #server: Server;
  readonly #costs = new WeakMap<Template, ScriptCost>();
  readonly #reads: Runner | undefined;
  readonly #writes: Runner | undefined;

  constructor(
    settings: DatabaseSettings,
    defaultAlias: string,
    server: Server,
    servers: Servers | undefined,
  ) {
    this.settings = settings;
    this.#server = server;
    this.servers = servers;
    this.database = servers === undefined ? server.database : new PrimaryDatabase(servers);
    this.serverJson = new ServerJson(this.database);
    if (servers === undefined) return;
    const flush = (): void => servers.flush();
    this.#reads = {
      run: (job, now) => servers.read(job, now),
      flush,
      requested: (headers) => requestedPosition(headers, settings.alias, defaultAlias),
    };
    this.#writes = { run: (job, now) => servers.write(job, now), flush };
  }

  /** run runs a job on the server of a database without replicas. */
  run(job: Job, now: number): void {
    this.#server.database.run(job, now);
  }

  flush(): void {
    if (this.servers === undefined) this.#server.database.flush();
    else this.servers.flush();
  }

  /** readOnly runs jobs that are READ ONLY, on replicas unless `onPrimary`. */
  readOnly(onPrimary: boolean): Runner {
    return (onPrimary ? this.#writes : this.#reads) ?? this.#server.readOnly;
  }

  /** spare is the database for jobs that nobody waits for. */
  get spare(): Database {
    return (this.servers?.primary ?? this.#server).database;
  }

  costOf(template: Template): ScriptCost {
    let cost = this.#costs.get(template);
    if (cost === undefined) {
      const counts = row(SCRIPTS, [template.name, this.settings.alias]);
      this.#costs.set(template, (cost = new ScriptCost(counts)));
    }
    return cost;
  }

  applyQuota(): void {
    if (this.servers === undefined) this.#server.applyQuota();
    else this.servers.applyQuota();
  }

  /** probe tests whether the primary answers, and if not, whether a replica serves read-only jobs. */
  async probe(): Promise<Probed> {
    const { servers } = this;
    await servers?.decided(PATIENCE);
    const { database } = servers?.primary ?? this.#server;
    const reason = await database.probe();
    const engine = reason === '' ? await engineOf(database) : undefined;
    if (servers === undefined) return { reason, engine };
    const writes = reason === '' && servers.hasPrimary;
    if (writes) return { reason, engine };
    if (servers.hasReplica) return { reason: '', engine, readOnly: true };
    return { reason: reason === '' ? 'no server accepts writes' : reason, engine };
  }
}

/** What a database is; undefined when it does not say so now. */
async function engineOf(database: Database): Promise<Engine | undefined> {
  try {
    return await database.engine();
  } catch (error) {
    if (error instanceof StatementFailure) return undefined;
    throw error;
  }
}

export function workerDatabases(
  settings: WorkerSettings,
  log: Logger,
): ReadonlyMap<string, WorkerDatabase> {
  const { databases, replicas, replication, defaultAlias, maxResult, resultBudget, mcp } = settings;
  const budget = new ResultBudget(maxResult, resultBudget, new Int32Array(settings.sending));
  const connections = new Int32Array(settings.connections);
  const all = allServers(settings);
  let known: KnownPrimaries | undefined;
  const readOnly = [...(mcp?.databases ?? []), ...(mcp?.replicas ?? [])];
  return new Map(
    databases.map((one, i) => {
      const own = i === 0 ? budget : budget.another();
      const open = (server: DatabaseSettings): Server => {
        const at = all.indexOf(server);
        const quota = new ConnectionQuota(connections, at);
        return new Server(server, readOnly[at], quota, own, server === one);
      };
      const server = open(one);
      const others = replicas.filter(({ of }) => of === one.alias);
      if (others.length === 0)
        return [one.alias, new WorkerDatabase(one, defaultAlias, server, undefined)];
      known ??= new KnownPrimaries(settings.shared);
      const report = serverReport(one.alias, [one, ...others], settings, log);
      const servers = new Servers([server, ...others.map(open)], replication, report, known);
      return [one.alias, new WorkerDatabase(one, defaultAlias, server, servers)];
    }),
  );
}
