/** `dev`: what is told as a script is saved, what the response of a broken one shows and to whom, plugins built again. */
import t from 'tap';
import { PluginFolder } from '../support/plugin-folder.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE tea (name text, price numeric)' });
const folder = new PluginFolder(t);
const version = (text: string): string =>
  `SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETNameHandler(void) { return "\\"${text}\\""; }`;
folder.write('plugin', version('first'));
const BROKEN = '-- Cheap teas.\nSELECT name\nFROM tea\nWHERE prise < {{sqlVal "below"}}\n';
const LINES = [
  '  2 | SELECT name',
  '  3 | FROM tea',
  '> 4 | WHERE prise < {{sqlVal "below"}}',
  '    |       ^',
];
const service = await startService(t, {
  database: postgres.url,
  scripts: { 'shop/list.read.sql': 'SELECT name FROM tea' },
  config: { pluginpath: folder.path, debug: false },
  command: 'dev',
});

t.test('the start says where the page is', async (t) => {
  const { page } = await service.line(({ served }) => served === 'page');
  t.equal(page, `${service.url}/`);
  await service.line('development mode: ');
  t.match((await service.ask('/')).headers.get('content-type'), 'text/html');
});

t.test(
  'what is broken is told as it is saved, again after each change, and when it is good',
  async (t) => {
    await service.line('the scripts were proved');
    service.script('shop/cheap.read.sql', BROKEN);
    const told = { position: 'shop/cheap:4:7', code: '42703', source: LINES };
    const isTold = ({ msg }: { readonly msg: string }): boolean =>
      msg === 'the script is broken: column "prise" does not exist';
    t.match(await service.line(isTold), told);
    service.script('shop/cheap.read.sql', `${BROKEN}-- saved again\n`);
    t.match(await service.line(isTold, 2), { source: [...LINES, '  5 | -- saved again'] });
    service.script('shop/cheap.read.sql', BROKEN.replace('prise', 'price'));
    await service.line('the script is not broken any more');
    service.script('shop/lisst.get.sql', 'SELECT 1');
    await service.line('not served: shop/lisst.get.sql: the suffix is none of .read.sql (GET)');
  },
);

t.test('the response and the log show the lines', async (t) => {
  service.script('shop/wrong.read.sql', BROKEN);
  const { status, json } = await service.ask('shop/wrong?below=5');
  t.equal(status, 500);
  t.strictSame(json, {
    error: 'could not execute sql, check your service logs',
    code: '42703',
    message: 'column "prise" does not exist',
    hint: 'Perhaps you meant to reference the column "tea.price".',
    position: 'shop/wrong:4:7',
    source: LINES,
  });
  const line = await service.line(({ state }) => state === '42703');
  t.match(line, { msg: 'column "prise" does not exist', source: LINES });
});

t.test('who asks for text gets text', async (t) => {
  const shown = `500 42703: column "prise" does not exist

at shop/wrong:4:7

${LINES.map((line) => `  ${line}\n`).join('')}
hint: Perhaps you meant to reference the column "tea.price".
`;
  for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/plain']) {
    const { text, headers } = await service.ask('shop/wrong?below=5', { headers: { accept } });
    t.equal(headers.get('content-type'), 'text/plain; charset=utf-8', accept);
    t.equal(text, shown);
  }
  for (const accept of ['*/*', 'application/json', 'text/plain, application/json', 'image/png'])
    t.match((await service.ask('shop/wrong?below=5', { headers: { accept } })).json, {}, accept);
  const xml = await service.ask('shop/wrong?below=5&_renderer=xml', { headers: { accept: 'text/html' } }); // prettier-ignore
  t.match(xml.text, /^<objects><error>/);
});

t.test('a plugin is loaded again when it was built again', async (t) => {
  const name = async (): Promise<string> => (await service.ask('/_PLUGIN/plugin/Name')).text;
  t.equal(await name(), '"first"');
  folder.write('plugin', version('second'));
  await service.line('the plugin plugin was rebuilt');
  await until(async () => (await name()) === '"second"');
  folder.write('plugin', version('third'));
  await service.line('the plugin plugin was rebuilt', 2);
  await until(async () => (await name()) === '"third"');
});
