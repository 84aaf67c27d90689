/** What the author of a script is told whose request finds none: the file that was meant, a similar name, the file to make. */
import t from 'tap';
import { missingScriptHint } from '#app/script/files/missing-script.js';

const folder = t.testdir({
  shop: { 'list.read.sql': 'SELECT 1', 'add.write.sql': 'SELECT 1', 'wrong.get.sql': 'SELECT 1' },
  'loose.read.sql': 'SELECT 1',
  deep: { below: { 'hidden.read.sql': 'SELECT 1' } },
  'README.md': '',
});

const CASES: readonly [request: string, hint: string | undefined][] = [
  ['GET shop/wrong', 'shop/wrong.get.sql: the suffix is none of .read.sql (GET), .write.sql (POST), .update.sql (PUT, PATCH), .delete.sql (DELETE)'], // prettier-ignore
  ['GET shop/loose', 'loose.read.sql: is in no folder: scripts are <folder>/<name>.<suffix>'],
  ['GET deep/hidden', 'deep/below/hidden.read.sql: is too deep: scripts are <folder>/<name>.<suffix>'], // prettier-ignore
  ['GET shop/lst', `the nearest script is shop/list; GET needs a file shop/lst.read.sql in ${folder}`], // prettier-ignore
  ['GET shop/orders', `GET needs a file shop/orders.read.sql in ${folder}`],
  ['GET shop/add', `GET needs a file shop/add.read.sql in ${folder}`],
  ['PATCH shop/list', `PATCH needs a file shop/list.update.sql in ${folder}`],
  ['PROPFIND shop/list', undefined],
];

for (const [request, hint] of CASES)
  t.test(request, async (t) => {
    const [method = '', path = ''] = request.split(' ');
    const [script, name = ''] = path.split('/');
    t.equal(await missingScriptHint(folder, script!, name, method), hint);
  });

t.test('a directory that cannot be read', async (t) => {
  t.equal(await missingScriptHint(`${folder}/none`, 'a', 'b', 'GET'), undefined);
});
