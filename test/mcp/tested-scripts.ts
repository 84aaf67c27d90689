/** Scripts as tools over a test's PostgreSQL and a folder, asked as a caller asks. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Logger } from '#app/log.js';
import { Call } from '#app/mcp/call.js';
import { ReadOnly } from '#app/mcp/read-only.js';
import { ScriptTools } from '#app/mcp/script-tools.js';
import type { Arguments } from '#app/mcp/tool.js';
import type { McpSettings } from '#app/protocol.js';
import type { ReadableScripts } from '#app/script/scripts.js';
import { ScriptStore } from '#app/script/script-store.js';
import { TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/front-end.js';
import type { Postgres } from '../support/postgres.js';
import type { Logged } from '../support/query-runner.js';
import { mcpSettings } from './tested-catalog.js';

/** Texts by path: `shop/list` is a read, `shop/list.write.sql` what it says. */
export type Texts = Readonly<Record<string, string>>;

export interface TestedOptions {
  readonly texts?: Texts;
  readonly settings?: Partial<McpSettings>;
  readonly aliases?: readonly string[];
  /** Where the scripts are, unless in a folder. */
  readonly scripts?: ReadableScripts;
  readonly claims?: boolean;
  readonly raised?: boolean;
  /** Milliseconds. */
  readonly statementTimeout?: number;
}

/** A tool as it is listed. */
export interface Entry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: boolean;
  };
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** Who asks, and how. */
export interface Asker {
  readonly user?: string;
  readonly headers?: string;
  readonly claims?: string;
}

export class TestedScripts {
  readonly folder: string;
  readonly tools: ScriptTools;
  readonly database: TestDatabase;
  readonly logged: Logged[] = [];

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
    this.tools = new ScriptTools(settings, {
      scripts: options.scripts ?? new ScriptStore(this.folder, log as unknown as Logger),
      readOnly: new ReadOnly(() => this.database.database),
      claims: options.claims ?? false,
      raised: options.raised ?? true,
      log: log as unknown as Logger,
    });
  }

  /** write makes or changes a script's file. */
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

  /** list gives the entries of a caller. */
  async list(asker: Asker = {}): Promise<Entry[]> {
    return (await this.tools.list(callOf(asker))).map(({ json }) => JSON.parse(json) as Entry);
  }

  /** names gives the names alone, without what all have in front. */
  async names(asker: Asker = {}): Promise<string> {
    const tools = await this.tools.list(callOf(asker));
    return tools.map(({ name }) => name.replace(/^service[._]script[._]/, '')).join(' ');
  }

  /** entry gives that of one script on the first database. */
  async entry(script: string): Promise<Entry> {
    const name = nameOf(script);
    return (await this.list()).find((entry) => entry.name === name)!;
  }

  /** run gives the rows as JSON, with what else the answer says; or what was wrong. */
  async run(script: string, args: Arguments = {}, asker: Asker = {}): Promise<string> {
    const outcome = await this.tools.run(callOf(asker), nameOf(script), args);
    if (outcome === undefined) return 'unknown tool';
    return 'error' in outcome ? `error: ${outcome.error}` : outcome.json;
  }

  /** until waits until something is so, and gives the time that took, ms; Infinity after five seconds. */
  async until(is: () => Promise<boolean>): Promise<number> {
    const began = performance.now();
    while (!(await is())) {
      if (performance.now() - began > 5_000) return Infinity;
      await sleep(20);
    }
    return performance.now() - began;
  }
}

/** nameOf is the tool of a script: `shop/list` is on main, `other/shop/list` on other. */
function nameOf(script: string): string {
  const parts = script.split('/');
  return ['service', 'script', ...(parts.length === 2 ? ['main'] : []), ...parts].join('.');
}

/** callOf is a message of a caller. */
export function callOf({ user, headers = '', claims }: Asker = {}): Call {
  const request = {
    id: 1,
    method: 'POST',
    alias: 'main',
    folder: '',
    name: 'mcp',
    query: '',
    headers,
    requestId: 'r1',
    role: '',
    claims: claims ?? (user === undefined ? '' : JSON.stringify({ sub: user })),
  };
  return new Call(request, false);
}
