/**
 * docs/tutorial.md: its files are written and its commands run in the order of the page, on a database of the test's, and each
 * prints what the page shows.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { makeFolder, MAIN, start } from '../commands/program.js';
import { environment } from '../support/process-group.js';
import { startPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCUMENT = readFileSync(path.join(PROJECT, 'docs/tutorial.md'), 'utf8');
const SHOWN = 'http://127.0.0.1:3000';

/** A block of the page: the file that it is the content of, if one is named before it. */
interface Block {
  readonly file: string | undefined;
  readonly language: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = Array.from(
  DOCUMENT.matchAll(/(?:^`([^`\n]+)`\n\n)?^```(\w*)\n(.*?)\n```$/gms),
  ([, file, language = '', text = '']) => ({ file, language, text }),
);

/** How often reads are repeated: a script is served within a second of its saving, on a busy machine later. */
const ATTEMPTS = 100;

t.setTimeout(240_000);

t.test('the page', { skip: without('curl') }, async (t) => {
  const postgres = await startPostgres(t);
  const folder = makeFolder(t);
  const programs = makeFolder(t);
  writeProgram(programs, 'sql-rest-service', `exec "${process.execPath}" "${MAIN}" "$@"`);
  symlinkSync(process.execPath, path.join(programs, 'node'));
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
  const env = {
    ...environment(),
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    DATABASE_URL: postgres.url,
  };
  let url = SHOWN;
  /** What the commands of the last block have printed, each. */
  let printed: string[] = [];
  /** Saved scripts are served once the service has seen them. */
  let saved = false;

  const run = async (line: string): Promise<string> => {
    const shell = line.replaceAll(SHOWN, url).replace('npx tsc', 'node_modules/.bin/tsc');
    const { stdout } = await promisify(execFile)('sh', ['-c', shell], { cwd: folder, env });
    return stdout;
  };

  for (const [index, { file, language, text }] of BLOCKS.entries()) {
    if (file !== undefined) {
      const name = path.join(folder, file);
      mkdirSync(path.dirname(name), { recursive: true });
      writeFileSync(name, `${text}\n`);
      saved ||= file.startsWith('queries/');
    } else if (text === 'sql-rest-service dev') {
      const program = start(folder, ['dev', '--http.port=0'], { DATABASE_URL: postgres.url });
      t.teardown(() => program.child.kill('SIGKILL'));
      [, url = ''] = await program.seen(/"url":"(http:[^"]*)"/);
      saved = false;
    } else if (language === 'sh') {
      const wanted = resultsBehind(index);
      const lines = text.split('\n');
      const all = async (): Promise<string[]> => {
        const outputs: string[] = [];
        for (const line of lines) outputs.push(await run(line));
        return outputs;
      };
      const schema = /^psql .* -f (\S+)$/.exec(text)?.[1];
      if (schema !== undefined) {
        await postgres.sql(readFileSync(path.join(folder, schema), 'utf8'));
        printed = [''];
        continue;
      }
      // A script that was saved over another one is served within a second; reads may be repeated until then.
      if (saved && lines.every((line) => line.startsWith('curl') && !/-d |-X/.test(line)))
        for (let left = ATTEMPTS; left > 0; left--) {
          printed = await all();
          if (same(printed, wanted)) break;
          await sleep(100);
        }
      else printed = await all();
      saved = false;
      if (wanted.length > 0) compare(t, printed, wanted, text);
      else t.strictSame(printed.join(''), '', text);
    }
  }
});

/** The blocks with what a block of commands prints: a JSON for each command, or one text. */
function resultsBehind(index: number): readonly Block[] {
  const behind = BLOCKS.slice(index + 1);
  const end = behind.findIndex((one) => one.file !== undefined || !/^(?:json|text)$/.test(one.language)); // prettier-ignore
  return end < 0 ? behind : behind.slice(0, end);
}

function writeProgram(folder: string, name: string, line: string): void {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

function same(printed: readonly string[], wanted: readonly Block[]): boolean {
  return JSON.stringify(shown(printed, wanted)) === JSON.stringify(expected(wanted));
}

function compare(
  t: { strictSame(found: unknown, wanted: unknown, what: string): boolean; match(found: string, wanted: RegExp, what: string): boolean }, // prettier-ignore
  printed: readonly string[],
  wanted: readonly Block[],
  what: string,
): void {
  const [first] = wanted;
  if (first?.language === 'text' && first.text.includes('…'))
    t.match(printed.join(''), pattern(first.text), what);
  else t.strictSame(shown(printed, wanted), expected(wanted), what);
}

function shown(printed: readonly string[], [first]: readonly Block[]): unknown {
  if (first?.language === 'text') return printed.join('').trimEnd();
  try {
    return printed.map((one) => JSON.parse(one) as unknown);
  } catch {
    return printed;
  }
}

function expected(wanted: readonly Block[]): unknown {
  if (wanted[0]?.language === 'text') return wanted[0].text;
  return wanted.map(({ text }) => JSON.parse(text) as unknown);
}

/** `…` stands for what differs from machine to machine. */
function pattern(text: string): RegExp {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('…', '.*')}\\n$`);
}
