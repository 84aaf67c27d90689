/**
 * The command `migrate from-prest`: converts pREST's configuration to a service.toml, and its tables with it. A
 * configuration that `check` refuses is never written, a file is overwritten only with `--yes`, and a dry run changes
 * nothing. Exit code 0 when everything was converted, 1 otherwise.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedConfig } from './config/load.js';
import { databaseOf } from './config/databases.js';
import { StatementFailure } from '../postgres/statement/queryable.js';
import { openSession } from '../postgres/lanes/database.js';
import { Draft } from './prest/draft.js';
import { writeOutcome, type ConversionOutcome } from './prest/outcome.js';
import type { TablesMode } from './prest/rule.js';
import { folderFindings } from './prest/script-findings.js';
import { openSource, sourceFile, variableIn, type Environment } from './prest/source.js';
import type { TableCopy } from './prest/table-copy.js';
import { inspectTables, conflictText } from './prest/tables.js';
import { checkDraft, configurationText, convert } from './prest/convert.js';

export interface FromPrestOptions {
  /** The prest.toml; otherwise PREST_CONF, otherwise ./prest.toml. */
  readonly from: string | undefined;
  /** The service.toml; otherwise SERVICE_CONF, otherwise ./service.toml. */
  readonly file: string | undefined;
  readonly tables: TablesMode;
  readonly dryRun: boolean;
  /** Whether an existing service.toml may be replaced. */
  readonly yes: boolean;
  readonly json: boolean;
  readonly env: Environment;
  readonly cwd: string;
}

export async function fromPrest(options: FromPrestOptions): Promise<number> {
  const outcome = await convertAll(options);
  process.stdout.write(
    options.json ? `${JSON.stringify(outcome, undefined, 2)}\n` : writeOutcome(outcome),
  );
  return outcome.ok ? 0 : 1;
}

async function convertAll(options: FromPrestOptions): Promise<ConversionOutcome> {
  const { env, cwd, dryRun, tables } = options;
  const to = resolve(cwd, options.file ?? variableIn(env, 'SERVICE_CONF') ?? 'service.toml');
  const unread = { errors: [] as string[], warnings: [] };
  const source = openSource(options.from, env, cwd, unread);
  if (source === undefined) {
    const draft = new Draft();
    draft.problems.push(...unread.errors);
    return outcomeOf(to, options, { from: sourceFile(options.from, env, cwd), draft });
  }

  const conversion = convert(source, tables);
  const { draft } = conversion;
  const text = configurationText(draft, source.file ?? 'PREST_* variables');
  const loaded = checkDraft(draft, to, text, cwd);
  reportConflicts(to, options, draft);
  let copied: Record<string, number> = {};
  let written = false;
  if (loaded !== undefined) {
    const { config } = loaded;
    await folderFindings(config['queries.location'], config['queries.register_enabled'], draft);
    const database = openSession(databaseOf(config));
    try {
      const copies = await inspectTables(conversion, config, tables, database);
      if (!dryRun && draft.problems.length === 0) copied = await copy(copies, draft);
    } finally {
      database.close();
    }
    if (!dryRun && draft.problems.length === 0)
      written = writeConfiguration(to, text, options.yes, draft);
  }
  const from = source.file ?? null;
  return outcomeOf(to, options, { from, draft, loaded, written, copied });
}

/** How far the conversion has come. */
interface Progress {
  readonly from: string | null;
  readonly draft: Draft;
  readonly loaded?: LoadedConfig | undefined;
  readonly written?: boolean;
  readonly copied?: Readonly<Record<string, number>>;
}

function outcomeOf(
  to: string,
  { dryRun }: FromPrestOptions,
  progress: Progress,
): ConversionOutcome {
  const { from, draft, loaded, written = false, copied = {} } = progress;
  const { findings, variables, problems } = draft;
  return {
    ok: problems.length === 0 && findings.every(({ kind }) => kind !== 'unsupported'),
    from,
    to,
    dryRun,
    written,
    problems: [...new Set(problems)],
    warnings: loaded?.warnings ?? [],
    variables,
    findings,
    copied,
  };
}

/** Reports an existing file, and variables that take precedence over the file. */
function reportConflicts(to: string, { env, yes, dryRun }: FromPrestOptions, draft: Draft): void {
  if (existsSync(to) && !yes) {
    const message = 'it is there already; --yes replaces it';
    if (dryRun) draft.differs(to, message);
    else draft.problems.push(`${to}: ${message}`);
  }
  for (const name of Object.keys(env))
    if (
      /^SERVICE_(?!(?:CONF|MCP_URL|MCP_TOKEN)$)/.test(name) &&
      !draft.variables.some((one) => one.name === name)
    )
      draft.differs(name, 'it is set here, and counts more than the file that is written');
}

/** Copies the tables; after a failure the others are not copied. */
async function copy(copies: readonly TableCopy[], draft: Draft): Promise<Record<string, number>> {
  const copied: Record<string, number> = {};
  for (const one of copies) {
    try {
      const result = await one.execute();
      if (typeof result !== 'number') {
        draft.problems.push(conflictText(one, result));
        break;
      }
      copied[one.to] = result;
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      draft.problems.push(`${one.to}: the database refused: ${error.reason}`);
      break;
    }
  }
  return copied;
}

/** Writes the file atomically, readable by its owner only. */
function writeConfiguration(to: string, text: string, replace: boolean, draft: Draft): boolean {
  const temporary = `${to}.${randomUUID()}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    try {
      // A link, unlike a rename, never replaces a file that was created meanwhile.
      if (replace) renameSync(temporary, to);
      else linkSync(temporary, to);
    } finally {
      rmSync(temporary, { force: true });
    }
    return true;
  } catch (error) {
    draft.problems.push(`${to}: cannot be written: ${(error as NodeJS.ErrnoException).code!}`);
    return false;
  }
}
