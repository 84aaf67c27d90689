/**
 * A client in Python, made by openapi-python-client from the document of the examples, and used. Where PyPI or Python's venv
 * is missing, that is skipped.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
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
