/** The prover of a service over a test's PostgreSQL, with one connection to each database, and what it reports and logs. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import type { Database } from '#app/postgres/lanes/database.js';
import type { ProofUpdate, RecordedFinding, ServedProof } from '#app/messages/proofs.js';
import { ProofCache } from '#app/messages/proof-cache.js';
import { ProverService } from '#app/proof/prover/prover-service.js';
import { proverSources } from '#app/worker/tasks/prover-task.js';
import type { ScriptsTable } from '#app/messages/database-settings.js';
import type { ProverSettings } from '#app/messages/prover-settings.js';
import { TestDatabase } from '../../support/database.js';
import type { Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

/** Looks are as close together as they cost little. */
const PACE = { texts: 20, catalogs: 20, part: 2, pacing: { idle: 0, busy: 0 } };

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly script?: string;
  readonly database?: string;
  readonly position?: string;
  readonly code?: string;
  readonly when?: string;
}

export interface TestedProverOptions {
  readonly mode?: 'warn' | 'require';
  readonly development?: boolean;
  readonly scripts?: string;
  readonly table?: ScriptsTable;
  /** The servers of further databases, by alias. */
  readonly others?: Readonly<Record<string, Pick<Postgres, 'host' | 'port' | 'password'>>>;
  readonly known?: ProofUpdate;
  readonly conninfo?: string;
  /** Hashes of texts in whose proof a thread died. */
  readonly deadly?: ReadonlySet<string>;
}

export const NOTHING: ProofUpdate = { proofs: [], gone: [], complete: false };

export class TestedProver {
  readonly service: ProverService;
  readonly cache = new ProofCache();
  readonly updates: ProofUpdate[] = [];
  readonly lines: LogLine[] = [];
  /** The texts whose proofs began, by hash, and undefined for each end. */
  readonly begun: (string | undefined)[] = [];
  /** Texts of which PostgreSQL was asked for a description. */
  readonly described: string[] = [];
  readonly databases = new Map<string, Database>();

  constructor(
    t: Pick<Test, 'teardown'>,
    server: Pick<Postgres, 'host' | 'port' | 'password'>,
    {
      mode = 'warn',
      development = false,
      scripts = '/nowhere',
      table,
      others = {},
      known = NOTHING,
      conninfo,
      deadly = new Set(),
    }: TestedProverOptions,
  ) {
    const settings = conninfo === undefined ? {} : { conninfo };
    for (const [alias, place] of Object.entries({ main: server, ...others })) {
      const more = alias === 'main' ? settings : {};
      const { database } = new TestDatabase(t, place, { alias, connections: 1, ...more });
      const describe = database.describe.bind(database);
      database.describe = (sql, options) => {
        this.described.push(sql);
        return describe(sql, options);
      };
      this.databases.set(alias, database);
    }
    const log = recordingLog(this.lines);
    const all: ProverSettings = {
      mode,
      databases: [...this.databases.values()].map((database) => database.settings),
      defaultAlias: 'main',
      scripts,
      scriptsTable: table,
      aggregate: 'json_agg',
      maxResult: 32 << 20,
      role: undefined,
      development,
      log: { level: 'info', pretty: false },
      connections: new SharedArrayBuffer(0),
      activity: new SharedArrayBuffer(4),
      metrics: undefined,
    };
    this.cache.apply(known);
    const report = (update: ProofUpdate): void => {
      this.updates.push(update);
      this.cache.apply(update);
    };
    const proving = (text: string | undefined): void => void this.begun.push(text);
    const sources = proverSources(all, this.databases, log);
    this.service = new ProverService(all, sources, { report, proving }, log, PACE);
    this.service.start(known, deadly);
    t.teardown(() => this.service.close());
  }

  async complete(): Promise<void> {
    await until(() => this.cache.complete);
  }

  proof(script: string, alias = 'main', verb = 'read'): ServedProof | undefined {
    return this.cache.of({ alias, script, verb });
  }

  verdict(script: string, alias = 'main', verb = 'read'): string | undefined {
    return this.proof(script, alias, verb)?.record.verdict;
  }

  findings(script: string, alias = 'main'): readonly RecordedFinding[] {
    return this.proof(script, alias)?.record.findings ?? [];
  }

  /** becomes waits for a verdict. */
  async becomes(script: string, verdict: string | undefined, alias = 'main'): Promise<void> {
    await until(() => this.verdict(script, alias) === verdict || false);
  }

  /** logged gives the lines of at least `level` (30 INFO, 40 WARN) about a script, or about none. */
  logged(script?: string, level = 30): LogLine[] {
    return this.lines.filter((line) => line.script === script && line.level >= level);
  }

  /** rounds waits until so many rounds have been logged. */
  async rounds(count: number): Promise<void> {
    await until(() => this.logged().filter(({ msg }) => msg === ROUND).length >= count);
  }
}

const ROUND = 'the scripts were proved';

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 };

/** A log whose lines are kept; its children are silent. */
function recordingLog(lines: LogLine[]): Logger {
  const nothing = (): void => undefined;
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const write = (level: number) => (fields: object | string, msg?: string) => {
    if (typeof fields === 'string') lines.push({ level, msg: fields });
    else lines.push({ level, ...fields, msg: msg ?? '' });
  };
  const levels = Object.entries(LEVELS).map(([name, level]): [string, unknown] => [
    name,
    write(level),
  ]);
  const log: object = { ...Object.fromEntries<unknown>(levels), child: () => silent };
  return log as Logger;
}

/** A directory of scripts. */
export class ScriptFolder {
  readonly location: string;

  constructor(t: Pick<Test, 'teardown'>, files: Readonly<Record<string, string>> = {}) {
    this.location = mkdtempSync(path.join(tmpdir(), 'scripts-'));
    t.teardown(() => {
      rmSync(this.location, { recursive: true });
    });
    for (const [file, text] of Object.entries(files)) this.write(file, text);
  }

  /** write replaces a file at once. */
  write(file: string, text: string): void {
    const target = path.join(this.location, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(`${target}.new`, text);
    renameSync(`${target}.new`, target);
  }

  remove(file: string): void {
    rmSync(path.join(this.location, file));
  }
}
