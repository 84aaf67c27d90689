/** Scripts as tools over a test's PostgreSQL and a folder, called as a client calls them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import type { McpCall } from '#app/mcp/arguments/call.js';
import { ReadOnly } from '#app/mcp/tables/read-only.js';
import { ScriptTools } from '#app/mcp/scripts/script-tools.js';
import type { Arguments } from '#app/mcp/arguments/tool.js';
import { ProofCache } from '#app/messages/proof-cache.js';
import type { McpSettings } from '#app/messages/worker-settings.js';
import type { ReadableScripts } from '#app/script/scripts.js';
import { ScriptStore } from '#app/script/files/script-store.js';
import { TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import type { Postgres } from '../support/postgres.js';
import type { Logged } from '../support/query-runner.js';
import { callWith } from './tested-call.js';
import { mcpSettings } from './tested-catalog.js';

/** Texts by path: `shop/list` is a read script, `shop/list.write.sql` a file name. */
export type Texts = Readonly<Record<string, string>>;

export interface TestedOptions {
  readonly texts?: Texts;
  readonly settings?: Partial<McpSettings>;
  readonly aliases?: readonly string[];
  /** The scripts, if they are not in a folder. */
  readonly scripts?: ReadableScripts;
  readonly claims?: boolean;
  readonly raised?: boolean;
  /** Milliseconds. */
  readonly statementTimeout?: number;
}

/** An entry of the list of tools. */
export interface Entry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: boolean;
  };
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export interface Caller {
  readonly user?: string;
  readonly headers?: string;
  readonly claims?: string;
}

export class TestedScripts {
  readonly folder: string;
  readonly tools: ScriptTools;
  readonly database: TestDatabase;
  readonly logged: Logged[] = [];
  readonly proofs = new ProofCache();

  constructor(t: Test, server: Postgres, options: TestedOptions = {}) {
    const { texts = {}, aliases = ['main'], statementTimeout = 20_000 } = options;
    this.folder = t.testdir({});
    for (const [name, text] of Object.entries(texts)) this.write(name, text);
    const usual = databaseSettings('main', server);
    const sets = `-c default_transaction_read_only=on -c statement_timeout=${statementTimeout}`;
    const conninfo = `${usual.conninfo} application_name=tools options='${sets}'`;
    this.database = new TestDatabase(t, server, { conninfo, connections: 1 });
    const level = (name: string) => (fields: object, msg: string) =>
      this.logged.push({ level: name, ...fields, msg });
    const log = { info: level('info'), warn: level('warn'), error: level('error') };
    const settings = mcpSettings(
      aliases.map((alias) => databaseSettings(alias, server)),
      { scripts: true, maxResult: 1 << 20, ...options.settings },
    );
    const { claims = false, raised = true } = options;
    this.tools = new ScriptTools(
      settings,
      options.scripts ?? new ScriptStore(this.folder, log as unknown as Logger),
      this.proofs,
      new ReadOnly(() => this.database.database),
      { claims, raised },
      log as unknown as Logger,
    );
  }

  /** write writes a script's file. */
  write(script: string, text: string): void {
    const file = path.join(this.folder, this.#fileOf(script));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** remove deletes a script's file. */
  remove(script: string): void {
    rmSync(path.join(this.folder, this.#fileOf(script)));
  }

  #fileOf(script: string): string {
    return script.includes('.') ? script : `${script}.read.sql`;
  }

  /** list returns the entries for a caller. */
  async list(caller: Caller = {}): Promise<Entry[]> {
    return (await this.tools.list(callOf(caller))).map(({ json }) => JSON.parse(json) as Entry);
  }

  /** names returns the names without their common prefix. */
  async names(caller: Caller = {}): Promise<string> {
    const tools = await this.tools.list(callOf(caller));
    return tools.map(({ name }) => name.replace(/^service[._]script[._]/, '')).join(' ');
  }

  /** entry returns the entry of a script on the first database. */
  async entry(script: string): Promise<Entry> {
    const name = toolNameOf(script);
    return (await this.list()).find((entry) => entry.name === name)!;
  }

  /** run returns the result as JSON, or the error. */
  async run(script: string, args: Arguments = {}, caller: Caller = {}): Promise<string> {
    const outcome = await this.tools.run(callOf(caller), toolNameOf(script), args);
    if (outcome === undefined) return 'unknown tool';
    return 'error' in outcome ? `error: ${outcome.error}` : outcome.json;
  }
}

/** nameOf is the tool of a script: `shop/list` is on main, `other/shop/list` on other. */
function toolNameOf(script: string): string {
  const parts = script.split('/');
  return ['service', 'script', ...(parts.length === 2 ? ['main'] : []), ...parts].join('.');
}

/** callOf is a call of a caller. */
export function callOf({ user, headers = '', claims }: Caller = {}): McpCall {
  const named = user === undefined ? '' : JSON.stringify({ sub: user });
  return callWith({ user: user ?? '', headers, claims: claims ?? named });
}
