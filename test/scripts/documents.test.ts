/** What the documentation says of itself and of installations: its index is complete, and no command fetches another package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
