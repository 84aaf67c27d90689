/**
 * The command `plugin check`: which handlers a plugin library has, as the requests they answer, and why it cannot be
 * served. Also `check` examines libraries so. Exit code 0 when it can be served, 1 otherwise.
 */
import { basename } from 'node:path';
import { checkLibrary, type LibraryFinding } from '../plugin/library-check.js';
import { isIdentifier } from '../script/verb.js';
import { printed } from './printed.js';

/** checkPlugin prints what it found, as JSON when asked to, and resolves to the exit code. */
export async function checkPlugin(file: string, json: boolean): Promise<number> {
  const finding = await examineLibrary(file);
  process.stdout.write(json ? `${JSON.stringify(finding, undefined, 2)}\n` : written(finding));
  return finding.ok ? 0 : 1;
}

/** examineLibrary is checkLibrary, for a file whose name requests can have. */
export async function examineLibrary(
  file: string,
  environment: readonly string[] = [],
): Promise<LibraryFinding> {
  const found = await checkLibrary(file, environment);
  if (isIdentifier(nameOf(file))) return found;
  const problem =
    'no request can name it: NAME.so, with 1 to 63 bytes of letters, digits, _ and - as NAME';
  return { ...found, ok: false, problems: [...found.problems, problem] };
}

/** What requests call a library; empty when it is not called anything.so. */
function nameOf(file: string): string {
  const base = basename(file);
  return base.endsWith('.so') ? base.slice(0, -3) : '';
}

function written({ file, ok, abi, handlers, problems }: LibraryFinding): string {
  const name = nameOf(file);
  const width = Math.max(...handlers.map((handler) => pathOf(name, handler).length));
  const count = `${handlers.length} handler${handlers.length === 1 ? '' : 's'}`;
  const lines = [
    `${file} ${ok ? 'ok' : 'not ok'}${abi === null ? '' : `: ABI ${abi}, ${count}`}`,
    ...handlers.map((handler) => `  ${pathOf(name, handler).padEnd(width)}  ${handler.form}`),
    ...problems.map((problem) => `  error: ${problem}`),
  ];
  return `${lines.map(printed).join('\n')}\n`;
}

function pathOf(name: string, handler: { method: string; function: string }): string {
  return `${handler.method} /_PLUGIN/${name}/${handler.function}`;
}
