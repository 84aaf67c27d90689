/**
 * The scripts that are served, from the folder or the table, proved on the databases of the configuration, and their
 * contract. They are scripts that `check` accepts: while one of them is broken, there is nothing.
 */
import { loadConfig, ConfigError, type ConfigSources } from './config/load.js';
import { configuredDatabases, databasesOf } from './config/databases.js';
import type { Config } from './config/schema.js';
import { contractOf, type ContractSource } from '../describe/contract/script-contract.js';
import type { Contract } from '../describe/contract/contract.js';
import type { DocumentedText } from '../describe/openapi/operation.js';
import { checkDatabase } from '../postgres/lanes/database-check.js';
import { routesOf } from '../script/route-list.js';
import { problemPlace, type ListedProblem } from '../script/files/script-files.js';
import { listScripts, type ListedScript, type ListedText } from '../script/files/script-listing.js';
import type { RoutedScript } from '../script/scripts.js';
import { oneLine, systemErrorText } from '../base/text.js';
import type { CommandLine } from './line/command-line.js';
import { printable } from './line/printable.js';
import { Progress } from './line/progress.js';
import { proveScripts } from './check/proof-check.js';
import { proofLines, type ProvedScript } from './check/proof-report.js';
import { provableTexts, type ProvableText, type ServedTexts } from './check/provable-texts.js';
import { requireScript, ScriptSelection } from './check/script-selection.js';
import { CommandError } from './line/session.js';
import { checkStoredScripts } from './check/stored-scripts-check.js';

/** Why there is no contract; each line is printed. */
export class NoContract extends Error {
  override readonly name = 'NoContract';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** reasonsOf gives the lines to print for an error that says why there is no contract; it throws others. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof NoContract) return error.lines;
  if (error instanceof CommandError) return [`error: ${error.message}`];
  throw error;
}

/** A script that is served, with its proof. */
export interface ServedScript extends ContractSource {
  /** Of a stored script for one database; undefined for all databases. */
  readonly alias: string | undefined;
  readonly folder: string;
  readonly name: string;
  readonly template: DocumentedText['template'];
}

/** currentContract rejects as servedScripts does. */
export async function currentContract(
  sources: ConfigSources,
  line: Pick<CommandLine, 'prove' | 'script'>,
  mayBeGone = false,
): Promise<Contract> {
  return contractOf((await servedScripts(sources, line, mayBeGone)).scripts);
}

/** servedScripts rejects with NoContract and CommandError; `mayBeGone`: the selected script need not be there. */
export async function servedScripts(
  sources: ConfigSources,
  { prove, script }: Pick<CommandLine, 'prove' | 'script'>,
  mayBeGone = false,
): Promise<{ readonly config: Config; readonly scripts: readonly ServedScript[] }> {
  const config = configOf(sources);
  const location = config['queries.location'];
  const selection =
    script === undefined ? undefined : new ScriptSelection(script, location, sources.cwd);
  const listed = await listedScripts(config, selection);
  const aliases = configuredDatabases(config).map(({ alias }) => alias);
  if (selection !== undefined && !mayBeGone) requireScript(selection, listed.scripts, [], aliases);
  await requireDatabases(config);
  const texts = provableTexts(config, listed, selection);
  const findings = await proveScripts(config, {
    full: prove === 'full',
    texts,
    available: new Set(databasesOf(config).map(({ alias }) => alias)),
    progress: new Progress(process.stderr),
    analysed: true,
  });
  if (!findings.ok) throw new NoContract(proofLines(findings, false));
  requireAnswers(findings.scripts, prove === 'full');
  if (prove !== 'full') requireWhole(findings.cut);
  const served = servedOf(findings.scripts, texts, config['pg.database']);
  requireRoutes(served, config['pg.database']);
  for (const warning of findings.warnings)
    process.stderr.write(`warning: ${printable(oneLine(warning))}\n`);
  return { config, scripts: served };
}

/** Rejects when nothing is known of a script, or with `isFull` not all although all was to be tried. */
function requireAnswers(scripts: readonly ProvedScript[], isFull: boolean): void {
  const unknown = scripts.filter(
    ({ verdict, combinations }) => verdict === 'unproved' && (isFull || combinations === 0),
  );
  if (unknown.length > 0)
    throw new NoContract(
      unknown.map(({ file, open }) => `error: ${printable(`${file}: ${open[0]?.what ?? ''}`)}`),
    );
}

/** Rejects when not everything was tried for a script: on a slower machine that would be less, and the contract another one. */
function requireWhole(cut: readonly string[]): void {
  if (cut.length > 0)
    throw new NoContract(
      cut.map(
        (file) =>
          `error: ${printable(file)}: not all of it was tried within the limits; --prove full tries it`,
      ),
    );
}

/**
 * The texts that requests reach: a file replaces the stored text that it is imported over, and a stored script for the
 * default database the one for all databases.
 */
function servedOf(
  scripts: readonly ProvedScript[],
  texts: readonly ProvableText[],
  defaultAlias: string,
): readonly ServedScript[] {
  const byFile = new Map(texts.map((one) => [one.file, one]));
  const all = scripts.map((proof) => ({ proof, ...byFile.get(proof.file)! }));
  const own = new Set(all.flatMap(({ alias, script }) => (alias === defaultAlias ? script : [])));
  const served = new Map<string, ServedScript>();
  for (const { proof, alias, script, folder, name, text } of all) {
    if (alias === undefined && own.has(script)) continue;
    // A script of one of the further databases has its alias in its name, as in its path.
    const named = alias === undefined || alias === defaultAlias ? script : `${alias}/${script}`;
    const { verb } = proof;
    const { head, template } = text;
    const one = { script: named, verb, head, proof, alias, folder, name, template };
    served.set(`${named} ${verb}`, one);
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

interface ListedScripts extends ServedTexts {
  readonly scripts: readonly ListedScript[];
}

/** Rejects when one of the texts cannot be served. */
async function listedScripts(
  config: Config,
  selection: ScriptSelection | undefined,
): Promise<ListedScripts> {
  const location = config['queries.location'];
  const table = await checkStoredScripts(config);
  const { message = null, ok = true } = table.stored ?? {};
  if (message !== null && !ok) throw new NoContract([`error: ${printable(oneLine(message))}`]);
  const isServed = table.stored === null || config['queries.import_on_startup'];
  let scripts: readonly ListedScript[] = [];
  let problems: readonly ListedProblem[] = [];
  const files: ListedText[] = [];
  try {
    if (isServed) ({ scripts, problems } = await listScripts(location, (text) => files.push(text)));
  } catch (error) {
    const code = systemErrorText(error);
    if (table.stored === null || code !== 'ENOENT')
      throw new NoContract([`error: ${location} cannot be read: ${code}`]);
  }
  const wrong = [...problems, ...(table.stored?.problems ?? [])]
    .filter(({ file }) => selection?.hasFile(file) ?? true)
    .map((problem) => `error: ${problemPlace(problem)}: ${oneLine(problem.message)}`);
  if (wrong.length > 0) throw new NoContract(wrong.map(printable));
  const all = [...scripts, ...(table.listed ?? [])];
  return { scripts: all, stored: table.texts, keys: table.keys, files };
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

/** routedScripts gives the scripts with paths of their own. */
export function routedScripts(scripts: readonly ServedScript[]): RoutedScript[] {
  return scripts.flatMap(({ alias, folder, name, verb, head: { routes } }) =>
    routes.length === 0 ? [] : [{ alias, folder, name, verb, routes }],
  );
}

function requireRoutes(scripts: readonly ServedScript[], defaultAlias: string): void {
  const { conflicts } = routesOf(routedScripts(scripts), defaultAlias);
  if (conflicts.length > 0)
    throw new NoContract(conflicts.map(({ message }) => `error: ${printable(message)}`));
}
