/**
 * The contract of the scripts that are served: those of the folder or the table, proved on the databases of the
 * configuration. It is made of scripts that `check` accepts, and refused while one of them is broken.
 */
import { loadConfig, ConfigError, type ConfigSources } from '../config/load.js';
import { databasesOf } from '../config/databases.js';
import type { Config } from '../config/schema.js';
import { contractOf, type ContractSource } from '../contract/script-contract.js';
import type { Contract } from '../contract/contract.js';
import { checkDatabase } from '../pg/connect.js';
import { routesOf } from '../script/route-list.js';
import { problemPlace, type ListedProblem } from '../script/script-files.js';
import { listScripts, type ListedScript } from '../script/script-listing.js';
import type { RoutedScript } from '../script/scripts.js';
import { nearest } from '../nearest.js';
import { oneLine } from '../text.js';
import type { CommandLine } from './command-line.js';
import { printable, quoted } from './printable.js';
import { Progress } from './progress.js';
import { proveScripts } from './proof-check.js';
import { proofLines, type ProvedScript } from './proof-report.js';
import type { ProvableText } from './provable-texts.js';
import { ScriptSelection } from './script-selection.js';
import { checkStoredScripts } from './stored-scripts-check.js';

/** Why there is no contract; each line is printed. */
export class NoContract extends Error {
  override readonly name = 'NoContract';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** currentContract rejects with NoContract. */
export async function currentContract(
  sources: ConfigSources,
  { prove, script }: Pick<CommandLine, 'prove' | 'script'>,
): Promise<Contract> {
  const config = configOf(sources);
  const location = config['queries.location'];
  const selection =
    script === undefined ? undefined : new ScriptSelection(script, location, sources.cwd);
  const listed = await listedScripts(config, selection);
  await requireDatabases(config);
  const texts = new Map<string, ProvableText>();
  const findings = await proveScripts(config, {
    full: prove === 'full',
    selection,
    available: new Set(databasesOf(config).map(({ alias }) => alias)),
    readsTable: listed.readsTable,
    total: listed.scripts.length,
    progress: new Progress(process.stderr),
    analysed: true,
    onText: (text) => texts.set(text.file, text),
  });
  if (!findings.ok || findings.unproved > 0) throw new NoContract(proofLines(findings, false));
  if (selection !== undefined && findings.scripts.length === 0)
    throw new NoContract([noSuchScript(selection, listed.scripts)]);
  const served = servedOf(findings.scripts, texts, config['pg.database']);
  requireRoutes(served, config['pg.database']);
  warnOfUnknown(findings.scripts);
  return contractOf(served);
}

/**
 * The texts that requests reach: a file replaces the stored text that it is imported over, and a stored text for the
 * default database goes before one for all databases.
 */
function servedOf(
  scripts: readonly ProvedScript[],
  texts: ReadonlyMap<string, ProvableText>,
  defaultAlias: string,
): readonly ContractSource[] {
  const served = new Map<string, ContractSource>();
  const own = new Set<string>();
  for (const proof of scripts) {
    const { text, alias } = texts.get(proof.file)!;
    // A script of one of the further databases has its alias in its name, as in its path.
    const prefix = alias === undefined || alias === defaultAlias ? '' : `${alias}/`;
    const script = `${prefix}${proof.script}`;
    const key = `${script} ${proof.verb}`;
    if (alias === undefined && own.has(key)) continue;
    if (alias !== undefined) own.add(key);
    served.set(key, { script, verb: proof.verb, head: text.head, proof });
  }
  return [...served.values()];
}

function configOf(sources: ConfigSources): Config {
  try {
    return loadConfig(sources).config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new NoContract(error.problems.map((problem) => `error: ${problem}`));
  }
}

interface ListedTexts {
  readonly scripts: readonly ListedScript[];
  /** Whether there is a table of scripts that can be read. */
  readonly readsTable: boolean;
}

/** Rejects when one of the texts cannot be served. */
async function listedScripts(
  config: Config,
  selection: ScriptSelection | undefined,
): Promise<ListedTexts> {
  const location = config['queries.location'];
  const table = await checkStoredScripts(config);
  const { message = null, ok = true } = table.stored ?? {};
  if (message !== null && !ok) throw new NoContract([`error: ${printable(oneLine(message))}`]);
  const isServed = table.stored === null || config['queries.import_on_startup'];
  let scripts: readonly ListedScript[] = [];
  let problems: readonly ListedProblem[] = [];
  try {
    if (isServed) ({ scripts, problems } = await listScripts(location));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (table.stored === null || code !== 'ENOENT')
      throw new NoContract([`error: ${location} cannot be read: ${code}`]);
  }
  const wrong = [...problems, ...(table.stored?.problems ?? [])]
    .filter(({ file }) => selection?.hasFile(file) ?? true)
    .map((problem) => `error: ${problemPlace(problem)}: ${oneLine(problem.message)}`);
  if (wrong.length > 0) throw new NoContract(wrong.map(printable));
  return {
    scripts: [...scripts, ...(table.listed ?? [])],
    readsTable: table.listed !== undefined,
  };
}

async function requireDatabases(config: Config): Promise<void> {
  const checked = await Promise.all(
    databasesOf(config).map(async (settings) => ({
      alias: settings.alias,
      ...(await checkDatabase(settings)),
    })),
  );
  const failed = checked.flatMap((one) =>
    one.ok ? [] : [`error: database ${printable(one.alias)}: ${oneLine(one.message)}`],
  );
  if (failed.length > 0) throw new NoContract(failed);
}

function noSuchScript(selection: ScriptSelection, scripts: readonly ListedScript[]): string {
  const close = selection.nearest(scripts);
  const known = scripts.map(({ folder, name }) => `${folder}/${name}`);
  const named = close ?? (known.length === 0 ? undefined : nearest(selection.text, known));
  return `error: there is no script ${quoted(selection.text)}${named === undefined ? '' : `; the nearest is ${named}`}`;
}

function requireRoutes(scripts: readonly ContractSource[], defaultAlias: string): void {
  const routed = scripts.flatMap(({ script, verb, head: { routes } }): RoutedScript[] => {
    const [name = '', folder = '', alias] = script.split('/').reverse();
    return routes.length === 0 ? [] : [{ alias, folder, name, verb, routes }];
  });
  const { conflicts } = routesOf(routed, defaultAlias);
  if (conflicts.length > 0)
    throw new NoContract(conflicts.map(({ message }) => `error: ${printable(message)}`));
}

function warnOfUnknown(scripts: readonly ProvedScript[]): void {
  const withColumns = scripts.filter(({ columns }) => columns.some((form) => form.length > 0));
  if (withColumns.length === 0 || withColumns.some(({ volatility }) => volatility !== undefined))
    return;
  process.stderr.write(
    'warning: which columns can be null is not known, so that all of them count as nullable: this needs PostgreSQL 14, a server that takes writes, and the right to make temporary objects (GRANT TEMPORARY ON DATABASE)\n',
  );
}
