/**
 * The command `migrate from-prest`: from pREST's configuration to a service.toml, and its tables with it. What `check`
 * refuses is never written, no file is overwritten unless that was agreed to, and a dry run changes nothing. Exit code 0
 * when everything is taken over, 1 when something is not or has to be put right first.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.js';
import { databaseOf } from '../config/databases.js';
import { StatementFailure } from '../pg/asked.js';
import { openSession } from '../pg/session.js';
import { Draft } from '../prest/draft.js';
import { writeOutcome, type Outcome } from '../prest/outcome.js';
import type { TablesMode } from '../prest/rule.js';
import { folderFindings } from '../prest/script-findings.js';
import { openSource, sourceFile, variableIn, type Environment } from '../prest/source.js';
import type { Copied } from '../prest/table-copy.js';
import { inspectTables, inTheWay } from '../prest/tables.js';
import { checkDraft, configurationText, translate } from '../prest/translate.js';

/** What the command is told. */
export interface FromPrestOptions {
  /** The prest.toml; otherwise PREST_CONF, otherwise ./prest.toml. */
  readonly from: string | undefined;
  /** The service.toml; otherwise SERVICE_CONF, otherwise ./service.toml. */
  readonly file: string | undefined;
  readonly tables: TablesMode;
  readonly dryRun: boolean;
  /** Whether a service.toml that is there may be replaced. */
  readonly yes: boolean;
  readonly json: boolean;
  readonly env: Environment;
  readonly cwd: string;
}

/** fromPrest does it, prints what came of it and resolves to the exit code. */
export async function fromPrest(options: FromPrestOptions): Promise<number> {
  const outcome = await migrate(options);
  process.stdout.write(
    options.json ? `${JSON.stringify(outcome, undefined, 2)}\n` : writeOutcome(outcome),
  );
  return outcome.ok ? 0 : 1;
}

async function migrate(options: FromPrestOptions): Promise<Outcome> {
  const { env, cwd, dryRun, tables } = options;
  const to = resolve(cwd, options.file ?? variableIn(env, 'SERVICE_CONF') ?? 'service.toml');
  const unread = { errors: [] as string[], warnings: [] };
  const source = openSource(options.from, env, cwd, unread);
  if (source === undefined)
    return outcomeOf(to, options, {
      from: sourceFile(options.from, env, cwd),
      problems: unread.errors,
    });

  const translation = translate(source, tables);
  const { draft } = translation;
  const text = configurationText(draft, source.file ?? 'PREST_* variables');
  const loaded = checkDraft(draft, to, text, cwd);
  surroundings(to, options, draft);
  let copied: Record<string, number> = {};
  let written = false;
  if (loaded !== undefined) {
    const { config } = loaded;
    await folderFindings(config['queries.location'], config['queries.register_enabled'], draft);
    const database = openSession(databaseOf(config));
    try {
      const copies = await inspectTables(translation, config, tables, database);
      if (!dryRun && draft.problems.length === 0) copied = await copy(copies, draft);
    } finally {
      database.close();
    }
    if (!dryRun && draft.problems.length === 0) written = write(to, text, options.yes, draft);
  }
  const from = source.file ?? null;
  return outcomeOf(to, options, { from, draft, loaded, written, copied });
}

/** What there is of an outcome; an early end leaves the rest out. */
interface Parts {
  readonly from: string | null;
  readonly draft?: Draft;
  readonly loaded?: LoadedConfig | undefined;
  readonly problems?: readonly string[];
  readonly written?: boolean;
  readonly copied?: Readonly<Record<string, number>>;
}

function outcomeOf(to: string, { dryRun }: FromPrestOptions, parts: Parts): Outcome {
  const { from, draft = new Draft(), loaded, written = false, copied = {} } = parts;
  const { findings, variables } = draft;
  const all = parts.problems ?? draft.problems;
  return {
    ok: all.length === 0 && findings.every(({ kind }) => kind !== 'unsupported'),
    from,
    to,
    dryRun,
    written,
    problems: [...new Set(all)],
    warnings: loaded?.warnings ?? [],
    variables,
    findings,
    copied,
  };
}

/** What is there already and matters to the new file. */
function surroundings(to: string, { env, yes, dryRun }: FromPrestOptions, draft: Draft): void {
  if (existsSync(to) && !yes) {
    const message = 'it is there already; --yes replaces it';
    if (dryRun) draft.add('differs', to, message);
    else draft.problems.push(`${to}: ${message}`);
  }
  for (const name of Object.keys(env))
    if (
      /^SERVICE_(?!(?:CONF|MCP_URL|MCP_TOKEN)$)/.test(name) &&
      !draft.variables.some((one) => one.name === name)
    )
      draft.add('differs', name, 'it is set here, and counts more than the file that is written');
}

/** Makes the copies; the first one that is stopped stops the others. */
async function copy(copies: readonly Copied[], draft: Draft): Promise<Record<string, number>> {
  const copied: Record<string, number> = {};
  for (const one of copies) {
    try {
      const done = await one.run();
      if (typeof done !== 'number') {
        draft.problems.push(inTheWay(one, done));
        break;
      }
      copied[one.to] = done;
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      draft.problems.push(`${one.to}: the database refused: ${error.reason}`);
      break;
    }
  }
  return copied;
}

/** Writes the file whole or not at all, for its owner alone. */
function write(to: string, text: string, replace: boolean, draft: Draft): boolean {
  const made = `${to}.${randomUUID()}`;
  try {
    writeFileSync(made, text, { mode: 0o600, flag: 'wx' });
    try {
      // A link, unlike a rename, never takes the place of a file that has come there meanwhile.
      if (replace) renameSync(made, to);
      else linkSync(made, to);
    } finally {
      rmSync(made, { force: true });
    }
    return true;
  } catch (error) {
    draft.problems.push(`${to}: cannot be written: ${(error as NodeJS.ErrnoException).code!}`);
    return false;
  }
}
