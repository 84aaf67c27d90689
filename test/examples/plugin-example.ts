/**
 * The example of a language and what `plugin new` writes for it: built with the command that is printed, served in both
 * isolations by one service each, called in all forms.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { run as runCommand, makeFolder } from '../commands/program.js';
import { Load } from '../support/load.js';
import { ISOLATIONS } from '../support/plugin-folder.js';
import { childrenOf } from '../support/process-group.js';
import { without } from '../support/programs.js';
import { startService, type Service } from '../support/service.js';

// Seen from dist-test/test/examples.
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

const SOURCES = { c: 'plugin.c', cpp: 'plugin.cpp', go: 'plugin.go', rust: 'plugin.rs' } as const;

/** The example's name, and the one for `plugin new`. */
const NAMES = ['hello', 'mine-ä_1'] as const;

/** Calls whose answers, had they been kept, are more than the growth that is allowed (bytes). */
const CALLS = 1_000;
const CALL_BYTES = 16_000;
const VALUE = '\u0001'.repeat(CALL_BYTES / 6);
const GROWTH = 10_000_000;

/** What is echoed to the caller, and must be JSON: all control characters but NUL, and what JSON and Go escape. */
const ODD = `${String.fromCharCode(...Array.from({ length: 31 }, (_, i) => i + 1))}"\\/\x7f é漢😀\u2028<>&%+ `;

/** Bytes of every value, and what they are said to be. */
const BYTES = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));

/** A handler, as its source text, that fails as its language does, and the error it is answered with. */
export interface FailingHandler {
  readonly source: string;
  readonly error: string;
}

/** testExample tests that of a language, which needs a program; what `plugin new` writes gets GETFailHandler added. */
export function testExample(
  t: Test,
  language: keyof typeof SOURCES,
  tool: string,
  failing: FailingHandler,
): void {
  t.setTimeout(120_000);
  t.test(`a plugin in ${language}`, { skip: without(tool) }, async (t) => {
    const libraries = await build(t, language, failing.source);
    for (const isolation of ISOLATIONS)
      await t.test(isolation, async (t) => {
        const service = await startService(t, {
          database: 'postgres://nobody:none@127.0.0.1:1/none',
          config: {
            ...{ 'http.processes': 1, 'pool.threads': 1, 'plugins.isolation': isolation },
            ...{ pluginpath: 'plugins', 'log.level': 'info' },
          },
          prepare: (folder) => {
            mkdirSync(path.join(folder, 'plugins'));
            for (const [name, file] of libraries)
              copyFileSync(file, path.join(folder, 'plugins', `${name}.so`));
          },
        });
        for (const [name] of libraries) await testForms(t, service, name);
        for (let i = 0; i < 5; i++)
          t.equal(
            await service.error(`/_PLUGIN/${encodeURIComponent(NAMES[1])}/Fail`),
            failing.error,
          );
        await testConcurrentCalls(t, service);
        await testMemory(t, service, isolation);
      });
  });
}

/** Both libraries, by name. */
async function build(
  t: Test,
  language: keyof typeof SOURCES,
  more: string,
): Promise<[name: string, file: string][]> {
  const folder = makeFolder(t);
  const [example, made] = NAMES;
  // With the header and the layer, which are links there.
  cpSync(path.join(PROJECT, 'examples/plugins', language), path.join(folder, example), {
    recursive: true,
    dereference: true,
    filter: (file) => !/\/hello\.(so|h)$/.test(file),
  });
  const { code, stdout, stderr } = await runCommand(folder, ['plugin', 'new', language, made]);
  t.strictSame([code, stderr], [0, '']);
  appendFileSync(path.join(folder, made, SOURCES[language]), more);
  const command = /^Build it: +(.*)$/m.exec(stdout)![1]!;
  const libraries: [string, string][] = [];
  for (const [name, how] of [
    [made, command],
    [example, command.replaceAll(made, example)],
  ] as const) {
    const { status, output } = spawnSync('sh', ['-c', how], {
      cwd: folder,
      encoding: 'utf8',
      // Go: nothing is fetched, and what is compiled once is kept for the next run.
      env: {
        ...process.env,
        ...{ GOCACHE: path.join(PROJECT, 'build/test/go'), GOFLAGS: '-mod=mod -buildvcs=false' },
        ...{ GO111MODULE: 'on', GOPROXY: 'off', GOTOOLCHAIN: 'local', CGO_ENABLED: '1' },
      },
    });
    t.equal(status, 0, `${how}\n${output.join('')}`);
    const file = path.join(folder, name, `${name}.so`);
    libraries.push([name, file]);
    const check = await runCommand(folder, ['plugin', 'check', file]);
    t.equal(
      check.stdout,
      `${file} ok: ABI 1.0, ${name === made ? 4 : 3} handlers
${name === made ? `  GET /_PLUGIN/${name}/Fail             string\n` : ''}  GET /_PLUGIN/${name}/Hello            string
  GET /_PLUGIN/${name}/HelloWithStatus  status
  POST /_PLUGIN/${name}/Echo            response
`,
    );
  }
  return libraries;
}

async function testForms(t: Test, service: Service, name: string): Promise<void> {
  const base = `/_PLUGIN/${encodeURIComponent(name)}`;
  const echoed = (func: string, query: Record<string, string[]>) => {
    return { http_vars: { file: name, func }, url_query: query, msg: 'Hello plugin caller!' };
  };
  const text = await service.ask(`${base}/Hello?a=1&b=x&a=2&c=`);
  t.strictSame(
    [text.status, text.headers.get('content-type'), text.json],
    [200, 'application/json', echoed('Hello', { a: ['1', '2'], b: ['x'], c: [''] })],
  );
  const status = await service.ask(`${base}/HelloWithStatus`);
  t.strictSame([status.status, status.json], [202, echoed('HelloWithStatus', {})]);
  const odd = await service.ask(
    `${base}/Hello?${encodeURIComponent(ODD)}=${encodeURIComponent(ODD)}`,
  );
  t.strictSame(odd.json, echoed('Hello', { [ODD]: [ODD] }), 'what JSON has to escape');

  const response = await fetch(`${service.url}${base}/Echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-odd; a="b"' },
    body: BYTES,
  });
  t.strictSame(
    [response.status, response.headers.get('content-type'), response.headers.get('x-plugin')],
    // Fetch decodes headers as Latin-1.
    [200, 'application/x-odd; a="b"', Buffer.from(name).toString('latin1')],
  );
  t.ok(BYTES.equals(Buffer.from(await response.arrayBuffer())), 'the bytes that were sent');
  const empty = await service.ask(`${base}/Echo`, { method: 'POST' });
  t.strictSame(
    [empty.status, empty.headers.get('content-type'), empty.text],
    [200, 'application/json', ''],
  );
  t.equal(await service.error(`${base}/Echo`), '404 handler_not_found');
  t.equal(await service.error(`${base}/Goodbye`), '404 handler_not_found');
}

async function testConcurrentCalls(t: Test, service: Service): Promise<void> {
  const wrong: unknown[] = [];
  await many(200, async (i) => {
    const [name, func] = [NAMES[i % 2]!, i % 3 === 0 ? 'HelloWithStatus' : 'Hello'];
    const { json } = await service.ask(`/_PLUGIN/${encodeURIComponent(name)}/${func}?i=${i}`);
    const { http_vars, url_query } = json as Record<string, unknown>;
    const seen = JSON.stringify([http_vars, url_query]);
    if (seen !== JSON.stringify([{ file: name, func }, { i: [String(i)] }])) wrong.push(seen);
  });
  t.strictSame(wrong, [], 'calls at the same time see their own variables');
}

async function testMemory(t: Test, service: Service, isolation: string): Promise<void> {
  // The HTTP process itself, whose memory is not the plugin's alone, is no measure.
  if (isolation === 'thread') return;
  const [httpProcess] = service.httpProcesses();
  const [host] = childrenOf(httpProcess!);
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host}/status`, 'utf8'))![1]) * 1024;
  const target = `/_PLUGIN/hello/Hello?v=${encodeURIComponent(VALUE)}`;
  const load = new Load(t, { port: service.port, clients: 8, target: () => target });
  // In steps: each has its time, however slow the machine is.
  const answered = (count: number) => load.reached(count);
  await answered(CALLS / 4);
  const before = resident();
  for (let i = 2; i <= 5; i++) await answered((i * CALLS) / 4);
  await load.stop();
  const growth = resident() - before;
  t.ok(growth < GROWTH, `${CALLS} calls leave ${growth} bytes more`);
  t.ok([...load.bodies][0]!.length > CALL_BYTES);
  t.strictSame(load.failures, []);
  t.strictSame(childrenOf(httpProcess!), [host], 'it is the process of before');
}

/** many calls a function so often, 16 at a time. */
async function many(count: number, call: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: 16 }, one));
}
