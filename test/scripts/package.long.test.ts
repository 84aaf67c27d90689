import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { spawnGroup } from '../support/spawn-group.js';
import { until } from '../support/until.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

t.setTimeout(300_000);

/** Node's own headers, for libpq's addon: without them npm downloads some. */
const headers = path.resolve(process.execPath, '../..');
const env: NodeJS.ProcessEnv = {
  PATH: `${path.dirname(process.execPath)}:${process.env['PATH']!}`,
  HOME: os.homedir(),
  ...(fs.existsSync(path.join(headers, 'include/node/node.h')) && { npm_config_nodedir: headers }),
};

/** Below a path with a space, outside the project, so that nothing of the project's is found by accident. */
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sql-rest package '));
t.teardown(() => fs.rmSync(folder, { recursive: true }));
const app = path.join(folder, 'app');

function run(cwd: string, program: string, ...args: string[]): string {
  const done = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

t.test('npm pack holds what is needed and nothing else', (t) => {
  run(PROJECT, 'npm', 'pack', '--pack-destination', folder);
  const archive = fs.readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  const files = run(folder, 'tar', 'tzf', archive).trim().split('\n');
  const tops = new Set(files.map((name) => name.split('/')[1]!));
  t.strictSame([...tops].sort(), [
    'CHANGELOG.md',
    'CMakeLists.txt',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'binding.gyp',
    'build',
    'dist',
    'docs',
    'examples',
    'native',
    'package.json',
    'packaging',
    'sbom.cdx.json',
    'scripts',
  ]);
  t.notOk(files.find((name) => /\.tsbuildinfo$|\/\.sources$|\.test\./.test(name)));
  const compiled = files.filter((name) =>
    /\/dist\/(?!programs\/|clients\/page\/files\/).*\.js$/.test(name),
  );
  const sources = compiled.map((name) =>
    name.replace(/^package\/dist\/(workers\/)?/, (_, workers) => (workers ? 'workers/' : 'src/')),
  );
  const gone = sources.filter(
    (name) => !fs.existsSync(path.join(PROJECT, name.replace(/js$/, 'ts'))),
  );
  t.ok(compiled.length > 50);
  t.strictSame(gone, [], 'nothing of sources that are gone');
  fs.mkdirSync(app);
  fs.writeFileSync(
    path.join(app, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { libpq: true } }),
  );
  run(app, 'npm', 'install', '--prefer-offline', '--no-audit', path.join('..', archive));
  t.end();
});

t.test('installed, the command serves and checks', async (t) => {
  // Without -- npx would take the flags for its own.
  const printed = run(app, 'npx', '--no', '--', 'sql-rest-service', '--version');
  const { version } = JSON.parse(fs.readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as {
    version: string;
  };
  t.equal(printed, `${version}\n`);
  t.equal(run(app, 'npx', '--no', '--', 'sql-rest-service-mcp', '--version'), printed);

  const postgres = await startPostgres(t);
  fs.mkdirSync(path.join(app, 'queries/a'), { recursive: true });
  fs.writeFileSync(path.join(app, 'queries/a/b.read.sql'), 'SELECT {{sqlVal "x"}} AS x');
  fs.writeFileSync(
    path.join(app, 'service.toml'),
    `[http]\nport = 0\n[pg]\nurl = "${postgres.url}"\n[log]\nlevel = "info"\n`,
  );
  const command = (...args: string[]) => run(app, 'npx', '--no', '--', 'sql-rest-service', ...args);
  t.ok(fs.existsSync(command('plugin', 'header').trim()));
  const build = /^Build it: +(.*)$/m.exec(command('plugin', 'new', 'c', 'made'))![1]!;
  run(app, 'sh', '-c', build);
  t.match(command('plugin', 'check', 'made/made.so'), 'GET /_PLUGIN/made/Hello ');
  fs.mkdirSync(path.join(app, 'lib'));
  fs.copyFileSync(path.join(app, 'made/made.so'), path.join(app, 'lib/made.so'));
  t.match(command('check'), /^plugins .*\/lib ok: 1 plugin$/m);

  const service = spawnGroup(t, ['npx', '--no', '--', 'sql-rest-service', 'serve'], {
    cwd: app,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(service, 'exit');
  let output = '';
  for await (const chunk of service.stdout!.setEncoding('utf8')) {
    output += String(chunk);
    const url = /"url":"([^"]+)"/.exec(output)?.[1];
    if (url === undefined) continue;
    const answer = await fetch(`${url}/_QUERIES/a/b?x=%27one%27`);
    t.strictSame(await answer.json(), [{ x: "'one'" }]);
    const plugin = await fetch(`${url}/_PLUGIN/made/Hello?x=1`);
    t.match(await plugin.json(), { http_vars: { file: 'made' }, url_query: { x: ['1'] } });
    break;
  }
  service.kill('SIGTERM');
  await exited;
  const url = /"url":"([^"]+)"/.exec(output)![1]!;
  const serves = () => fetch(`${url}/_health`).then(Boolean, () => false);
  // Connections that are open already are served to the end of the drain.
  let refused = 0;
  await until(async () => {
    refused = (await serves()) ? 0 : refused + 1;
    return refused === 5;
  }, 50);
  t.notOk(await serves(), 'npx gone, the service is gone');
});

t.test('what the package exports, used from TypeScript', (t) => {
  const code = `
    import { compile, RefusedValue, TemplateError, type Template } from 'sql-rest-service/template';
    import { screen } from 'sql-rest-service/screen';
    import { branchesOf, type TemplateBranches } from 'sql-rest-service/branches';
    declare const console: { log(...values: unknown[]): void };
    const template: Template = compile('SELECT {{sqlVal "id"}}, {{len .n}}', 'a/b');
    const { text, values }: { text: string; values: readonly (string | null)[] } =
      template.render({ id: '7', n: ['x', null] });
    const allowed: boolean[] = [screen('a b'), screen('a; b')];
    console.log(text, values[0], allowed.join(), RefusedValue.name);
    try {
      template.render({ n: 5 });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const stage: 'parse' | 'exec' = error.stage;
      console.log(stage, error.name, error.line, error.column);
    }
    const found: TemplateBranches = await branchesOf('SELECT 1{{if isSet "b"}}{{sqlVal "b"}}{{end}}', 'a/b');
    for (const { text, when } of found.branches) console.log(when, text);`;
  fs.writeFileSync(path.join(app, 'use.mts'), code);
  const options = { strict: true, module: 'nodenext', target: 'es2023', types: [] };
  fs.writeFileSync(
    path.join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['use.mts'] }),
  );
  // The declarations are checked as well, in a project that has no types of Node.
  run(app, process.execPath, path.join(PROJECT, 'node_modules/typescript/bin/tsc'));
  t.equal(
    run(app, process.execPath, 'use.mjs'),
    'SELECT $1, 2 7 true,false RefusedValue\nexec TemplateError 1 27\n' +
      '`b` is sent SELECT 1$1\n`b` is not sent SELECT 1\n',
  );
  t.end();
});

t.test('what is packed and does not run here is built on installation', (t) => {
  const root = path.join(app, 'node_modules/sql-rest-service');
  const addon = path.join(root, 'build/Release/sql_rest_service.node');
  const host = path.join(root, 'build/Release/plugin_host');
  for (const file of [addon, host]) fs.writeFileSync(file, 'of another machine');
  run(root, process.execPath, 'scripts/install.mjs');
  run(app, process.execPath, '-e', 'require(process.argv[1])', addon);
  run(app, 'npx', '--no', '--', 'sql-rest-service', 'plugin', 'check', 'made/made.so');
  const times = () => [addon, host].map((file) => fs.statSync(file).mtimeMs);
  const before = times();
  run(root, process.execPath, 'scripts/install.mjs');
  t.strictSame(times(), before, 'and left alone when it runs');
  t.end();
});
