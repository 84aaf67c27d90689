/**
 * Checks plugin libraries: one for the command `plugin check`, all of `pluginpath` for `check`. Each library is loaded in a
 * process of its own. A finding lists the requests of its handlers, and why it cannot be served.
 */
import { readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../config/schema.js';
import { isIdentifier } from '../../base/identifier.js';
import { checkLibrary, type LibraryFinding } from '../../serve/plugin/library-check.js';
import { liesIn } from '../../serve/supervisor/plugin-libraries.js';
import { systemErrorText } from '../../base/text.js';
import { printable } from '../line/printable.js';
import type { PluginFindings } from './report.js';

/** checkPlugin prints the finding and resolves to the exit code: 0 when the library can be served, otherwise 1. */
export async function checkPlugin(file: string, json: boolean): Promise<number> {
  const finding = await examineLibrary(file);
  process.stdout.write(json ? `${JSON.stringify(finding, undefined, 2)}\n` : findingText(finding));
  return finding.ok ? 0 : 1;
}

/** examineLibrary also checks the name of the file. */
async function examineLibrary(
  file: string,
  environment: readonly string[] = [],
): Promise<LibraryFinding> {
  const found = await checkLibrary(file, environment);
  if (isIdentifier(libraryName(file))) return found;
  const problem =
    'no request can name it: NAME.so, with 1 to 63 bytes of letters, digits, _ and - as NAME';
  return { ...found, ok: false, problems: [...found.problems, problem] };
}

/** The name of a library in requests; empty when the file does not end with .so. */
function libraryName(file: string): string {
  const base = basename(file);
  return base.endsWith('.so') ? base.slice(0, -3) : '';
}

function findingText({ file, ok, abi, handlers, problems }: LibraryFinding): string {
  const name = libraryName(file);
  const width = Math.max(...handlers.map((handler) => pathOf(name, handler).length));
  const count = `${handlers.length} handler${handlers.length === 1 ? '' : 's'}`;
  const lines = [
    `${file} ${ok ? 'ok' : 'not ok'}${abi === null ? '' : `: ABI ${abi}, ${count}`}`,
    ...handlers.map((handler) => `  ${pathOf(name, handler).padEnd(width)}  ${handler.form}`),
    ...problems.map((problem) => `  error: ${problem}`),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function pathOf(name: string, handler: { method: string; function: string }): string {
  return `${handler.method} /_PLUGIN/${name}/${handler.function}`;
}

/** checkPlugins checks every library of `pluginpath`; one whose link leads out of the folder is a problem too. */
export async function checkPlugins(config: Config): Promise<PluginFindings> {
  const location = config.pluginpath;
  const problems: { file: string; message: string }[] = [];
  let count = 0;
  for (const file of librariesIn(location, problems)) {
    const message = escapeOf(location, file);
    if (message !== undefined) {
      problems.push({ file, message });
      continue;
    }
    // Sequentially: code of a library runs while it is loaded.
    const found = await examineLibrary(join(location, file), config['plugins.environment']);
    if (found.ok) count++;
    for (const problem of found.problems)
      problems.push({ file: printable(file), message: printable(problem) });
  }
  return { location, count, problems };
}

function librariesIn(location: string, problems: { file: string; message: string }[]): string[] {
  try {
    return readdirSync(location)
      .filter((file) => file.endsWith('.so'))
      .sort();
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push({ file: location, message: `cannot be read: ${code}` });
    return [];
  }
}

/** Why a library is not in the folder; undefined when it is. */
function escapeOf(location: string, file: string): string | undefined {
  try {
    const inside = liesIn(realpathSync(location), realpathSync(join(location, file)));
    return inside ? undefined : 'leads out of the folder';
  } catch (error) {
    return `cannot be read: ${systemErrorText(error)}`;
  }
}
