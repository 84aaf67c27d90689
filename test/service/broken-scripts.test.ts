/** The paths of scripts that cannot be used: 500, from the start and after an edit, and 400 under `/_QUERIES`. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'shop/directive.read.sql': '-- @path /v1/directive/{id}\n-- @timeout never\nSELECT 1 AS n',
    'shop/template.read.sql': '-- @path /v1/template\nSELECT {{if}}',
    'shop/path.read.sql': '-- @path /v1/:wrong/*\n-- @path /_v1\n-- @path /v1/right\nSELECT 1',
    'shop/add.write.sql':
      '-- @path /v1/added\n-- @one\n-- @one\nSELECT {{sqlVal "body.n"}}::int AS n',
    'shop/name.read.sql': '-- @path /v1/name\nSELECT {{ident "by"}}',
    'shop/edited.read.sql': '-- @path /v1/edited\nSELECT 1 AS n',
  },
});

t.test('500 on the path of its own, 400 under /_QUERIES', async (t) => {
  for (const [target, script, method] of [
    ['/v1/directive/7', 'directive'],
    ['/v1/directive/7?x=1', 'directive'],
    ['/v1/template', 'template'],
    ['/v1/right', 'path'],
    ['/v1/added', 'add', 'POST'],
  ] as const) {
    const how = { method: method ?? 'GET', ...(method === undefined ? {} : { body: '{"n":1}' }) };
    const own = await service.ask(target, how);
    t.equal(own.status, 500, target);
    t.same(own.json, {
      error: `could not parse script shop/${script}, check your service logs`,
      code: 'script_broken',
    });
    t.equal(await service.error(`/_QUERIES/shop/${script}`, how), '400 script_not_usable');
  }
  t.equal(await service.error('/_v1'), '404 not_found');
  t.equal(
    await service.error('/v1/name?by=a-b'),
    '400 script_not_usable',
    'a mistake of the caller',
  );
});

t.test('after an edit', async () => {
  const edit = (text: string): void =>
    writeFileSync(path.join(service.folder, 'queries/shop/edited.read.sql'), text);
  const answers = (status: number): Promise<unknown> =>
    until(async () => (await service.ask('/v1/edited')).status === status);
  await answers(200);
  edit('-- @path /v1/edited\n-- @status 7\nSELECT 1 AS n');
  await answers(500);
  edit('-- @path /v1/edited\nSELECT 2 AS n');
  await answers(200);
});
