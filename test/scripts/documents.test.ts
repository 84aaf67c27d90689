/** What the documentation says of itself and of installations: its index is complete, its commands work as they are written. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';

const PROJECT = new URL('../../../', import.meta.url);
const text = (file: string): string => readFileSync(new URL(file, PROJECT), 'utf8');
const pages = readdirSync(new URL('docs/', PROJECT)).filter((file) => file.endsWith('.md'));

t.test('the index lists every page once', (t) => {
  const listed = [...text('docs/README.md').matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\): /gm)];
  t.strictSame(
    listed.map(([, file]) => file).sort(),
    pages.filter((file) => file !== 'README.md').sort(),
  );
  t.end();
});

t.test('npx takes the package from a file, or where it is installed', (t) => {
  const files = ['README.md', ...pages.map((file) => `docs/${file}`)];
  for (const file of files)
    for (const [line] of text(file).matchAll(/npx.*sql-rest-service.*/g))
      t.match(
        line,
        /npx --no sql-rest-service|\/path\/to\/|npx would download/,
        `${file}: ${line}`,
      );
  t.end();
});

t.test('the unit starts the package where its comment installs it', (t) => {
  const unit = text('packaging/sql-rest-service.service');
  const [, folder = ''] = /npm install --prefix (\S+) /.exec(unit)!;
  const within = `${folder}/node_modules/sql-rest-service/`;
  const [, program = ''] = /^ExecStart=\/usr\/bin\/node (\S+) serve/m.exec(unit)!;
  const [, page = ''] = /^Documentation=file:\/\/(\S+)$/m.exec(unit)!;
  for (const file of [program, page]) {
    t.ok(file.startsWith(within), file);
    t.ok(existsSync(new URL(file.slice(within.length), PROJECT)), file);
  }
  t.ok(text('docs/operations.md').includes(`npm install --prefix ${folder} `));
  t.end();
});
t.test('the command is defined as documented, in a folder whose path has a space', (t) => {
  const folder = t.testdir({
    'a folder': {
      dist: { 'main.js': 'console.log(process.argv[2])' },
      node_modules: { '.bin': { 'sql-rest-service': '#!/bin/sh\necho "$1"\n' } },
    },
  });
  const cwd = path.join(folder, 'a folder');
  chmodSync(path.join(cwd, 'node_modules/.bin/sql-rest-service'), 0o755);
  const documents = ['README.md', 'docs/operations.md', 'docs/tutorial.md'].map(text).join('\n');
  const aliases = documents.match(
    /^alias sql-rest-service=.*$|(?<=`)alias sql-rest-service=[^`]*/gm,
  );
  t.equal(aliases?.length, 4);
  for (const alias of aliases ?? [])
    t.equal(
      execFileSync('sh', ['-c', `${alias}\nsql-rest-service works`], { cwd, encoding: 'utf8' }),
      'works\n',
      alias,
    );
  t.end();
});
