/** The registry as a worker has it, over a test's PostgreSQL, with what it logs. */
import type { Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import type { Database } from '#app/postgres/lanes/database.js';
import type { RoleSettings } from '#app/messages/access-settings.js';
import type { ScriptsTable } from '#app/messages/database-settings.js';
import type { RegistryResponse, RegistryRequest } from '#app/messages/tasks.js';
import { RegistryTasks } from '#app/worker/tasks/registry-tasks.js';
import { StoredScripts } from '#app/stored/scripts/stored-scripts.js';
import { ScriptsDdl } from '#app/stored/scripts/ddl.js';
import { TestDatabase } from '../../support/database.js';
import type { Postgres } from '../../support/postgres.js';

export const TABLE: ScriptsTable = { schema: 'public', table: 'service_queries' };

/** A request: `METHOD /alias/location/name?query`, the path without what leads to the registry. */
export interface Ask {
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly user?: string;
}

/** An answer with its body as JSON, and headers by name. */
export interface Told {
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class TestedRegistry {
  readonly logged: Readonly<Record<string, unknown>>[] = [];
  /** How often the worker was to read a change. */
  refreshed = 0;
  readonly database: TestDatabase;
  readonly #tasks: RegistryTasks;

  /** `databases` are further ones by alias; the default one is `main`. */
  constructor(
    t: Pick<Test, 'teardown'>,
    server: { readonly host: string; readonly port: number; readonly password: string },
    {
      databases = {},
      stored = true,
      debug = false,
      settings = {},
      proofBudget = 60_000,
      role,
    }: {
      databases?: Readonly<Record<string, Database>>;
      /** Whether scripts are stored in a table. */
      stored?: boolean;
      debug?: boolean;
      proofBudget?: number;
      role?: RoleSettings;
      settings?: ConstructorParameters<typeof TestDatabase>[2];
    } = {},
  ) {
    this.database = new TestDatabase(t, server, { connections: 6, ...settings });
    const line = (level: string) => (fields: object, msg: string) =>
      this.logged.push({ level, ...fields, msg });
    const log = { info: line('info'), warn: line('warn'), error: line('error') };
    this.#tasks = new RegistryTasks(
      {
        scriptsTable: stored ? TABLE : undefined,
        defaultAlias: 'main',
        aggregate: 'json_agg',
        maxResult: 32 << 20,
        proofBudget,
        role,
        debug,
      },
      new Map([['main', this.database.database], ...Object.entries(databases)]),
      log as unknown as Logger,
      () => {
        this.refreshed++;
        return Promise.resolve();
      },
      async () => {
        const { database } = this.database;
        const scripts = new StoredScripts(TABLE, database, 32 << 20, log as unknown as Logger);
        try {
          return await scripts.routed('main');
        } finally {
          scripts.close();
        }
      },
    );
  }

  /** send sends a request as an HTTP process gives it. */
  send(target: string, ask: Ask = {}): Promise<RegistryResponse> {
    const [, method = '', path = '', query = ''] = /^(\w+) ([^?]*)\??(.*)$/.exec(target) ?? [];
    const names = path.split('/').filter((name) => name !== '');
    const database = names.length % 2 === 1 ? names.shift() : undefined;
    const [location, name] = names;
    const { body, ifMatch = '', ifNoneMatch = '', user = 'ann' } = ask;
    const request: RegistryRequest = {
      method,
      database,
      script: location === undefined || name === undefined ? undefined : { location, name },
      query,
      body: body === undefined ? undefined : bytesOf(body),
      ifMatch,
      ifNoneMatch,
      user,
      requestId: 'r1',
    };
    return this.#tasks.respond(request);
  }

  /** ask sends a request and gives the answer taken apart. */
  async ask(target: string, ask: Ask = {}): Promise<Told> {
    const { status, body, headers } = await this.send(target, ask);
    const json: unknown = body === '' ? undefined : JSON.parse(body);
    return { status, json, text: body, headers: Object.fromEntries(headers) };
  }

  /** error is the status, code and message of an answer, `400 invalid_record: …`; its body when it is no error. */
  async error(target: string, ask: Ask = {}): Promise<string> {
    const { status, json, text } = await this.ask(target, ask);
    const { error, code } = (json ?? {}) as { error?: string; code?: string };
    return code === undefined ? `${status} ${text}` : `${status} ${code}: ${error}`;
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

/** makeTable makes the table with its history. */
export async function makeTable(t: Pick<Test, 'teardown'>, server: Postgres): Promise<void> {
  const { database } = new TestDatabase(t, server, { connections: 1 });
  await new ScriptsDdl(TABLE, database).make();
}
