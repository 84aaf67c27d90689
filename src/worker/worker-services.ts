/**
 * Everything that a query worker runs on, put together from its settings: databases, scripts and their paths, listings, MCP,
 * users, the registry of scripts, and the runner of its requests.
 */
import type { Logger } from '../observe/log.js';
import type { Database } from '../postgres/lanes/database.js';
import { ProofBook } from '../messages/proof-book.js';
import { StoredScripts } from '../stored/scripts/stored-scripts.js';
import { ProvedScripts } from '../script/proved-scripts.js';
import { ScriptStore } from '../script/files/script-store.js';
import type { Scripts } from '../script/scripts.js';
import type { WorkerSettings } from '../messages/settings.js';
import type { FoundScripts, Probed } from '../messages/tasks.js';
import { scriptFilesFound, storedScriptsFound } from './tasks/found-scripts.js';
import type { McpRunner } from './mcp-runner.js';
import type { OpenApiTasks } from './tasks/openapi-tasks.js';
import { PlanTimes } from './timing/plan-times.js';
import { QueryRunner } from './query-runner.js';
import type { QuerySpans } from './timing/query-spans.js';
import { RegistryTasks } from './tasks/registry-tasks.js';
import { Responder } from './responses/responder.js';
import { shownDatabases } from './shown-sql.js';
import { RouteTasks } from './tasks/route-tasks.js';
import type { ResponseBatcher } from './responses/response-batcher.js';
import { SlowStatements } from './timing/slow-statements.js';
import { UserTasks } from './tasks/user-tasks.js';
import { workerDatabases, type WorkerDatabase } from './worker-database.js';

export class WorkerServices {
  readonly runner: QueryRunner;
  readonly users: UserTasks;
  readonly registry: RegistryTasks;
  readonly routes: RouteTasks;
  /** Empty with `queries.proof` off, and until the first proofs arrive. */
  readonly proofs = new ProofBook();
  readonly #databases: ReadonlyMap<string, WorkerDatabase>;
  readonly #settings: WorkerSettings;
  readonly #scripts: Scripts;
  /** Undefined when scripts are files. */
  readonly #stored: StoredScripts | undefined;
  /** Loaded with the first request for an OpenAPI document. */
  #openapi: Promise<OpenApiTasks> | undefined;
  readonly #log: Logger;

  /**
   * `batcher` sends responses to the HTTP process. `Mcp` is required when the settings enable MCP, `spans` when they have
   * requests traced.
   */
  constructor(
    settings: WorkerSettings,
    log: Logger,
    batcher: ResponseBatcher,
    Mcp?: typeof McpRunner,
    spans?: QuerySpans,
  ) {
    const { defaultAlias, scriptsTable, maxResult, mcp } = settings;
    const databases = workerDatabases(settings, log);
    const { database } = databases.get(defaultAlias)!;
    this.#settings = settings;
    this.#log = log;
    this.#databases = databases;
    this.#stored = scriptsTable && new StoredScripts(scriptsTable, database, maxResult, log);
    this.users = new UserTasks(settings.users, database, log);
    const byAlias = new Map([...databases].map(([alias, one]) => [alias, one.database]));
    const proved = settings.provedOnly ? new ProvedScripts(this.proofs) : undefined;
    const scripts = proved ?? this.#stored ?? new ScriptStore(settings.scripts, log);
    this.#scripts = scripts;
    const refresh = (): Promise<void> => this.refreshScripts();
    this.registry = new RegistryTasks(settings, byAlias, log, refresh, async () => {
      await refresh();
      const stored = (await this.#stored?.routed(defaultAlias)) ?? [];
      // Where the stored text of a script is broken, the one before may still have its paths.
      const served = this.proofs.complete ? await proved?.routed(defaultAlias) : undefined;
      return [...stored, ...(served ?? [])];
    });
    this.routes = new RouteTasks(scripts, new Set(databases.keys()), defaultAlias, log);
    const plans = PlanTimes.of(settings.shared);
    const spareOf = (alias: string): Database => databases.get(alias)!.spare;
    const slow = new SlowStatements(settings.slow, spareOf, plans, log);
    const responder = new Responder(settings, databases, batcher, slow, this.proofs, spans, log);
    const shown = shownDatabases(databases, responder);
    this.runner = new QueryRunner(
      settings,
      databases,
      scripts,
      // prettier-ignore
      mcp && Mcp && new Mcp(settings, mcp, scripts, this.proofs, databases, slow, responder, spans, log),
      new QueryRunner(settings, shown, scripts, undefined, undefined, responder, spans, log),
      responder,
      spans,
      log,
    );
  }

  applyQuota(): void {
    for (const database of this.#databases.values()) database.applyQuota();
  }

  /** refreshScripts reads stored scripts that may have changed; resolves when that is done. */
  async refreshScripts(): Promise<void> {
    await this.#stored?.refresh();
  }

  /** foundScripts counts the scripts, and names those that cannot be served. */
  foundScripts(): Promise<FoundScripts> {
    return this.#stored === undefined
      ? scriptFilesFound(this.#settings.scripts)
      : storedScriptsFound(this.#stored);
  }

  /** openapi gives the tasks that concern OpenAPI documents. */
  openapi(): Promise<OpenApiTasks> {
    return (this.#openapi ??= import('./tasks/openapi-tasks.js').then(
      ({ OpenApiTasks }) =>
        new OpenApiTasks(
          this.#settings,
          this.#scripts,
          this.proofs,
          new Set(this.#databases.keys()),
          this.#log,
        ),
    ));
  }

  probe(alias: string): Promise<Probed> {
    return this.#databases.get(alias)!.probe();
  }
}
