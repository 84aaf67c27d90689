/** The listing of a directory for `check`: its scripts, and each problem with its reason. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import t from 'tap';
import { listScripts } from '#app/script/files/script-listing.js';

t.test('scripts and problems', async (t) => {
  const root = t.testdir({
    outside: { 'x.read.sql': 'SELECT 1' },
    tree: {
      'stray.sql': 'SELECT 1',
      '.hidden': { 'x.read.sql': '{{' },
      'odd name': { 'x.read.sql': 'SELECT 1' },
      f: {
        'good.read.sql': 'SELECT {{sqlVal "a"}}',
        'good.delete.sql': 'DELETE FROM t',
        'broken.read.sql': 'SELECT\n  {{if}}',
        'dotted.name.read.sql': 'SELECT 1',
        'other.sql': 'SELECT 1',
        'notes.txt': 'not for us',
        'empty.read.sql': ' \n',
        below: { 'deep.read.sql': 'SELECT 1', 'notes.txt': '' },
        others: { 'notes.txt': '' },
        '.swap.read.sql': '{{',
        [`${'n'.repeat(64)}.read.sql`]: 'SELECT 1',
      },
    },
  });
  const tree = `${root}/tree`;
  mkdirSync(`${tree}/f/folder.read.sql`);
  t.equal(spawnSync('mkfifo', [`${tree}/f/pipe.read.sql`]).status, 0);
  symlinkSync(`${root}/outside/x.read.sql`, `${tree}/f/away.read.sql`);
  symlinkSync(`${tree}/f/nowhere`, `${tree}/f/dangling.read.sql`);
  symlinkSync(`${tree}/f/good.read.sql`, `${tree}/f/alias.read.sql`);
  const { scripts, problems } = await listScripts(tree);
  t.strictSame(scripts, [
    { folder: 'f', name: 'alias', verb: 'read' },
    { folder: 'f', name: 'good', verb: 'delete' },
    { folder: 'f', name: 'good', verb: 'read' },
  ]);
  const expected: Record<string, RegExp> = {
    'stray.sql': /folder/,
    'odd name': /no request can name/,
    'f/broken.read.sql': /missing value/,
    'f/dotted.name.read.sql': /no request can name/,
    'f/other.sql': /suffix/,
    'f/empty.read.sql': /empty/,
    'f/below/deep.read.sql': /too deep/,
    [`f/${'n'.repeat(64)}.read.sql`]: /no request can name/,
    'f/folder.read.sql': /not a regular file/,
    'f/pipe.read.sql': /not a regular file/,
    'f/away.read.sql': /leads out/,
    'f/dangling.read.sql': /not a regular file/,
  };
  t.strictSame(problems.map((p) => p.file).sort(), Object.keys(expected).sort());
  for (const { file, message } of problems) t.match(message, expected[file]!, file);
  const broken = problems.find((p) => p.file === 'f/broken.read.sql');
  t.strictSame([broken?.line, broken?.column], [2, 7]);
  await t.rejects(listScripts(`${root}/none`), { code: 'ENOENT' });
});

t.test('directives', async (t) => {
  const folder = t.testdir({
    f: {
      'bad.read.sql': '-- About\n-- @status 404\nSELECT 1',
      'good.read.sql': '-- @one\nSELECT 1',
      'unknown.read.sql': '-- About\n-- @author Ann\n-- @ones\nSELECT 1',
    },
  });
  const { scripts, problems, warnings } = await listScripts(folder);
  t.same(
    scripts.map(({ name }) => name),
    ['good', 'unknown'],
  );
  t.match(problems, [{ file: 'f/bad.read.sql', line: 2, message: /^@status: / }]);
  t.match(warnings, [
    { file: 'f/unknown.read.sql', line: 2, message: /@author/ },
    { file: 'f/unknown.read.sql', line: 3, message: /the nearest one is @one$/ },
  ]);
});
