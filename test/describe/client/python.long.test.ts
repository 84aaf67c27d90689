/**
 * A client in Python, made by openapi-python-client from the document of the examples, and used. Where PyPI or Python's venv
 * is missing, that is skipped.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { documentScripts } from '../openapi/documented.js';
import { startPostgres } from '../../support/postgres.js';
import { startExamples } from './examples.js';
import { PythonTools } from './python-tools.js';

const PROGRAM = `
import json, sys
from shop import Client
from shop.api.products import read_products_get, read_products_some, write_products_create
from shop.models import Error

client = Client(base_url=sys.argv[1])
row = read_products_get.sync(id=3, client=client)[0]
some = read_products_some.sync(id=[1, 5], client=client)
made = write_products_create.sync(name="Hojicha", category="tea", price=9.5, client=client)
wrong = write_products_create.sync(name="Hojicha", category="tea", price=9.5, client=client)
assert isinstance(wrong, Error), wrong
print(json.dumps([row.name, row.added_at.year > 2000, [one.id for one in some], made.rows_affected, wrong.code]))
`;

t.setTimeout(280_000);

const tools = new PythonTools(t, 'openapi-python-client', 'ruff');

t.test('openapi-python-client', { skip: tools.missing ?? false }, async (t) => {
  const { service, document } = await startExamples(t);
  writeFileSync(join(tools.folder, 'openapi.json'), JSON.stringify(document));
  const made = tools.run(
    'openapi-python-client',
    ...['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'shop'],
  );
  t.equal(made.status, 0, made.text);
  t.notMatch(made.text, /unable to parse|warning/i);
  writeFileSync(join(tools.folder, 'use.py'), PROGRAM);
  const used = tools.run('python3', 'use.py', service.url);
  t.equal(used.status, 0, used.text);
  t.same(JSON.parse(used.text.split('\n')[0]!), ['Sencha Yame', true, [1, 5], 1, '23505']);
});

const ODD: Readonly<Record<string, string>> = {
  'größe.read.sql': `SELECT '{{.größe}}' AS "größe"`,
  'gräße.write.sql': `-- @strict\n-- @error 23505 "a key": Exists: already\n-- @error 22023: No\nSELECT {{sqlVal "body.größe"}}::text AS n`,
  '日本.read.sql': '-- @param name text minlength=2 maxlength=9\nSELECT 1 AS n',
};

t.test('names in other alphabets', { skip: tools.missing ?? false }, async (t) => {
  const folder = t.testdir({ ä_b: ODD });
  const server = await startPostgres(t);
  const document = await (await documentScripts(t, server, folder)).document();
  writeFileSync(join(tools.folder, 'odd.json'), JSON.stringify(document));
  const made = tools.run(
    'openapi-python-client',
    ...['generate', '--path', 'odd.json', '--meta', 'none', '--output-path', 'odd'],
  );
  t.equal(made.status, 0, made.text);
  t.notMatch(made.text, /unable to parse|warning/i);
  const files = tools.run('find', 'odd/api', '-name', '*_b_*.py').text.trim().split('\n');
  t.equal(files.length, 3, files.join());
  t.equal(tools.run('python3', '-c', 'import odd.models; from odd import Client').status, 0);
});
