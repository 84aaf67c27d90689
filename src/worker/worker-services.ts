/**
 * Everything that a query worker runs on, put together from its settings: databases, scripts and their paths, listings, MCP,
 * users, the registry of scripts, the runner of its requests and the tasks.
 */
import type { Logger } from '../observe/log.js';
import type { Database } from '../postgres/lanes/database.js';
import { ProofCache } from '../messages/proof-cache.js';
import { StoredScripts } from '../stored/scripts/stored-scripts.js';
import { ProvedScripts } from '../script/proved-scripts.js';
import { ScriptStore } from '../script/files/script-store.js';
import type { WorkerSettings } from '../messages/worker-settings.js';
import type { TaskHandlers } from '../messages/tasks.js';
import { scriptFilesFound, storedScriptsFound } from './tasks/found-scripts.js';
import type { McpRunner } from './mcp-runner.js';
import type { OpenApiTasks } from './tasks/openapi-tasks.js';
import { PlanTimes } from './timing/plan-times.js';
import { QueryRunner } from './query-runner.js';
import type { QuerySpans } from './timing/query-spans.js';
import { RegistryTasks } from './tasks/registry-tasks.js';
import { Responder } from './responses/responder.js';
import { scriptBodies } from './tasks/script-bodies.js';
import { shownDatabases } from './shown-sql.js';
import { RouteTasks } from './tasks/route-tasks.js';
import type { ResponseBatcher } from './responses/response-batcher.js';
import { SlowStatements } from './timing/slow-statements.js';
import { UserTasks } from './tasks/user-tasks.js';
import { workerDatabases } from './worker-database.js';

export class WorkerServices {
  readonly runner: QueryRunner;
  readonly tasks: Omit<TaskHandlers, 'serve'>;

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
    const byAlias = new Map([...databases].map(([alias, one]) => [alias, one.database]));
    const proofs = new ProofCache();
    // Undefined when scripts are files.
    const stored = scriptsTable && new StoredScripts(scriptsTable, database, maxResult, log);
    const proved = settings.provedOnly ? new ProvedScripts(proofs) : undefined;
    const scripts = proved ?? stored ?? new ScriptStore(settings.scripts, log);
    const refresh = async (): Promise<void> => {
      await stored?.refresh();
    };
    const plans = PlanTimes.of(settings.shared);
    const spareOf = (alias: string): Database => databases.get(alias)!.spare;
    const slow = new SlowStatements(settings.slow, spareOf, plans, log);
    const parts = { settings, databases, scripts, proofs, slow, spans, log };
    const responder = new Responder(parts, batcher);
    const shown = { ...parts, responder, databases: shownDatabases(databases, responder) };
    this.runner = new QueryRunner({
      ...parts,
      responder,
      mcp: mcp && Mcp && new Mcp(mcp, parts, responder),
      sql: new QueryRunner(shown),
    });
    const users = new UserTasks(settings.users, database, log);
    const registry = new RegistryTasks(settings, byAlias, log, refresh, async () => {
      await refresh();
      const routed = (await stored?.routed(defaultAlias)) ?? [];
      // Where the stored text of a script is broken, the one before may still have its paths.
      const served = proofs.complete ? await proved?.routed(defaultAlias) : undefined;
      return [...routed, ...(served ?? [])];
    });
    const routes = new RouteTasks(parts);
    // Loaded with the first request for an OpenAPI document.
    let loaded: Promise<OpenApiTasks> | undefined;
    const openapi = (): Promise<OpenApiTasks> =>
      (loaded ??= import('./tasks/openapi-tasks.js').then(
        ({ OpenApiTasks }) => new OpenApiTasks(parts),
      ));
    this.tasks = {
      connections: () => {
        for (const one of databases.values()) one.applyQuota();
      },
      probe: (alias) => databases.get(alias)!.probe(),
      findUser: ({ username, requestId }) => users.find(username, requestId),
      renewPassword: ({ username, from, to }) => users.renew(username, from, to),
      makeUsersTable: () => users.make(),
      scripts: refresh,
      proofs: (update) => proofs.apply(update),
      scriptBodies: (script) => scriptBodies(scripts, script),
      registry: (request) => registry.respond(request),
      foundScripts: () =>
        stored ? storedScriptsFound(stored) : scriptFilesFound(settings.scripts),
      openapi: async (request) => (await openapi()).respond(request),
      databases: async (reader) => (await openapi()).databases(reader),
      routes: (version) => routes.list(version),
    };
  }
}
