/** The page in a browser: its flows, and that nothing in it becomes code. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { startShop } from '../../service/shop.js';
import { startPostgres } from '../../support/postgres.js';
import { startService } from '../../support/service.js';
import { SECRET, userToken } from '../../support/tokens.js';
import { startBrowser, WITHOUT_BROWSER } from './browser.js';

const MARKUP = `<img src=x onerror=alert(1)><script>alert(2)</script>`;

const SCRIPTS = {
  'reports/daily.read.sql': `-- Sales by day.
SELECT d::date AS day, extract(day FROM d)::int AS sales FROM generate_series('2026-01-01'::date, '2026-01-31', '1 day') d`,
  'reports/stock.read.sql': '-- Stock.\nSELECT name, stock FROM products ORDER BY name LIMIT 5',
  'reports/many.read.sql': `-- Many rows.
SELECT n, 9007199254740993 + n AS big FROM generate_series(1, 100000) n`,
  'reports/slow.read.sql': '-- Sleeps.\nSELECT pg_sleep(600)',
  'reports/markup.read.sql': `-- ${MARKUP} <b>bold</b>
-- @param x text ${MARKUP}
SELECT '${MARKUP}' AS "<b>name</b>", {{sqlVal "x"}}::text AS x`,
  'reports/types.read.sql': `-- All types.
-- @deprecated
-- @param whole integer required min=1 max=9
-- @param part numeric
-- @param yes boolean
-- @param sure boolean = true
-- @param day date
-- @param at timestamptz
-- @param kind enum(a, b, c)
-- @param ids integer[]
SELECT {{sqlVal "whole"}}::int AS whole, {{sqlVal "part"}}::numeric AS part, {{sqlVal "yes"}}::boolean AS yes,
  {{sqlVal "sure"}}::boolean AS sure, {{sqlVal "day"}}::date AS day, {{sqlVal "at"}}::timestamptz = '2026-01-31T12:30:00Z' AS at,
  {{sqlVal "kind"}}::text AS kind, {{sqlVal "ids"}}::int[] AS ids`,
};

t.test('the page', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const shop = await startShop(t, {}, SCRIPTS);
  await shop.postgres.sql('CREATE TABLE "<b>x</b>" (id int PRIMARY KEY, "<img src=x>" text)');
  const { url } = shop.service;

  await t.test('the policy is in force, and a breach of it would show', async (t) => {
    const tab = await browser.open(url);
    t.strictSame(tab.trouble, []);
    await tab.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { textContent: 'alert(1)' })); document.body.setAttribute('style', 'color: red'); fetch('http://127.0.0.2:9/').catch(() => undefined)`,
    );
    t.match(tab.trouble.join('\n'), /inline script[^]*inline style[^]*127\.0\.0\.2/);
  });

  await t.test('from the list to rows', async (t) => {
    const tab = await browser.open(url);
    const { page } = tab;
    await page.getByRole('link', { name: 'GET /v1/products Products by name' }).click();
    t.match(page.url(), /#get\/v1\/products$/);
    await page.getByLabel('tea').check();
    await page.getByLabel('size integer').fill('2');
    t.match(await tab.run(), /^200 OK · 2 rows · [\d.]+ ms · \d+ bytes$/);
    t.match(await tab.cells(), [['1', 'Assam Mangalam', 'tea', '8.90'], [/\d/]]);
    const curl = page.getByRole('region', { name: 'curl' });
    t.equal((await curl.textContent())!.trim(), `curl '${url}/v1/products?category=tea&size=2'`);
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    const call = await page.getByRole('region', { name: 'TypeScript' }).textContent();
    t.match(call, /^const response = await fetch\("http.*category=tea&size=2"\);/);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = await page.getByRole('region', { name: 'Body of the response' }).textContent();
    t.match(JSON.parse(json!), [{ name: 'Assam Mangalam', price: 8.9 }]);
    await page.getByRole('tab', { name: 'Headers' }).click();
    t.match(await page.locator('dl.headers').textContent(), /x-request-id/);
    await page.reload();
    await page.getByRole('heading', { name: 'Products by name' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    t.strictSame(tab.trouble, []);
  });

  await t.test('the types of parameters', async (t) => {
    const zone = { timezoneId: 'Europe/Warsaw' };
    const tab = await browser.open(`${url}/_docs#get/_QUERIES/reports/types`, zone);
    const { page } = tab;
    t.match(await page.locator('article').textContent(), /Deprecated: /);
    t.match(await tab.run(), /^400 Bad Request/);
    t.equal(await page.getByLabel('whole integer').getAttribute('aria-invalid'), 'true');
    await page.getByLabel('whole integer').fill('3');
    t.match(await tab.run(), /^200 OK · 1 row/);
    t.strictSame(await tab.cells(), [
      ['3', 'null', 'null', 'true', 'null', 'null', 'null', 'null'],
    ]);
    await page.getByLabel('part number').fill('1.50');
    await page.getByLabel('yes boolean').selectOption('false');
    await page.getByLabel('sure boolean').uncheck();
    await page.getByLabel('day text').fill('2026-01-31');
    await page.getByLabel('at text').fill('2026-01-31T13:30:00');
    await page.getByLabel('kind choice').selectOption('b');
    await page.getByLabel('ids, value 1').fill('5');
    await page.getByRole('button', { name: 'Add a value' }).click();
    await page.keyboard.type('7');
    t.match(await tab.run(), /^200 OK/);
    t.strictSame(await tab.cells(), [['3', '1.50', 'false', 'false', '2026-01-31', 'true', 'b', '[5,7]']]); // prettier-ignore
    t.strictSame(await tab.barriers(), []);
    t.strictSame(tab.trouble, []);
  });

  await t.test('bodies and errors', async (t) => {
    const tab = await browser.open(`${url}/#post/v1/products`);
    const { page } = tab;
    const body = page.getByLabel('Body', { exact: true });
    const example = JSON.parse(await body.inputValue()) as Record<string, unknown>;
    t.match(example, { name: 'text', category: 'tea', stock: 0 });
    await body.fill('{"name": ');
    t.match((await page.locator('.fault').allTextContents()).join(''), /^This is not JSON/);
    t.match(await tab.run(), /^400 /);
    t.match(await page.locator('.failure').textContent(), /invalid_body/);
    await body.fill('{"name": "Mate", "category": "glass", "price": 0}');
    t.match(await tab.run(), /^400 Bad Request/);
    t.match(await page.locator('.failure').textContent(), /invalid_parameter.*body\.price/);
    t.equal(await body.getAttribute('aria-invalid'), 'true');
    t.strictSame(await tab.barriers(), []);
    await body.fill('{"name": "Mate", "category": "tea", "price": 4.5}');
    t.match(await tab.run(), /^201 Created · 1 row/);
    t.equal(await body.getAttribute('aria-invalid'), 'false');

    await page.goto(`${url}/#delete/v1/products/{id}`);
    await page.getByRole('button', { name: 'Run' }).click();
    t.equal(await tab.evaluate(`document.activeElement.matches(':invalid')`), true);
    await page.getByLabel('id integer').fill('1');
    t.match(await tab.run(), /^409 Conflict/);
    t.match(
      await page.locator('.failure').textContent(),
      /23503.*a row that this refers to does not exist/,
    );
    await page.getByLabel('id integer').fill('999');
    t.match(await tab.run(), /^404 Not Found/);
    t.strictSame(tab.trouble, []);
  });

  await t.test('plots', async (t) => {
    const tab = await browser.open(`${url}/#get/_QUERIES/reports/daily`);
    const { page } = tab;
    await tab.run();
    await page.getByRole('tab', { name: 'Plot' }).click();
    await page.getByRole('img', { name: 'sales from 2026-01-01 to 2026-01-31' }).waitFor();
    t.equal(await page.locator('svg circle').count(), 31);
    await page.goto(`${url}/#get/_QUERIES/reports/stock`);
    await tab.run();
    await page.getByRole('tab', { name: 'Plot' }).click();
    t.equal(await page.locator('svg rect').count(), 5);
    t.strictSame(await tab.barriers(), []);
    t.strictSame(tab.trouble, []);
  });

  await t.test('a hundred thousand rows, a page at a time', async (t) => {
    const tab = await browser.open(`${url}/#get/_QUERIES/reports/many`);
    const { page } = tab;
    t.match(await tab.run(), /100000 rows/);
    t.strictSame((await tab.cells())[0], ['1', '9007199254740994']);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Rows 101 to 200 of 100000').waitFor();
    const rows = await tab.cells();
    t.strictSame([rows.length, rows[0]], [100, ['101', '9007199254741094']]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('button', { name: 'Show more' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ]);
    t.equal(download.suggestedFilename(), 'response.json');
    t.strictSame(tab.trouble, []);
  });

  await t.test('a request is stopped', async (t) => {
    const tab = await browser.open(`${url}/#get/_QUERIES/reports/slow`);
    const { page } = tab;
    for (const stop of [
      () => page.getByRole('button', { name: 'Stop' }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await page.getByRole('button', { name: 'Run' }).press('Enter');
      await page.getByText('Running…').waitFor();
      await page.getByRole('button', { name: 'Stop' }).focus();
      await stop();
      await page.getByText('Stopped.').waitFor();
      t.equal(await tab.evaluate('document.activeElement.textContent'), 'Run');
    }
    t.strictSame(tab.trouble, []);
  });

  await t.test('markup in names, descriptions, rows and tables is text', async (t) => {
    const tab = await browser.open(`${url}/#get/_QUERIES/reports/markup`);
    const { page } = tab;
    t.match(await page.locator('article').textContent(), MARKUP);
    await page.getByLabel('x text').fill(MARKUP);
    await tab.run();
    t.strictSame(await tab.cells(), [[MARKUP, MARKUP]]);
    t.equal(await page.locator('.result th').first().textContent(), '<b>name</b>');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.goto(`${url}/#tables`);
    await page.getByText('public.<b>x</b>').click();
    await page.getByRole('cell', { name: '<img src=x>' }).waitFor();
    await page.goto(`${url}/#${encodeURIComponent(MARKUP)}`);
    await page.getByText('There is no such script').waitFor();
    t.equal(await page.locator('main img, main script, nav img, nav b, main b').count(), 0);
    t.strictSame(tab.trouble, []);
  });

  await t.test('the keyboard alone', async (t) => {
    const tab = await browser.open(url);
    const { page } = tab;
    const active = (): Promise<string> =>
      tab.evaluate('document.activeElement.textContent || document.activeElement.type');
    await page.keyboard.press('Tab');
    t.equal(await active(), 'Skip to the content');
    await page.keyboard.press('Enter');
    t.equal(await tab.evaluate('document.activeElement.localName'), 'main');
    await page.keyboard.press('/');
    t.equal(await active(), 'search');
    await page.keyboard.type('sold');
    await page.getByText('found').first().waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowDown');
    t.match(await active(), /^GET/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What was sold' }).waitFor();
    t.match(await active(), /^What was sold/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // a date field runs the form
    await page.locator('.status.good').waitFor();
    const tabs = page.getByRole('tablist', { name: 'Response' });
    await tabs.getByRole('tab', { selected: true }).focus();
    await page.keyboard.press('ArrowRight');
    t.match(await active(), /^(?:Plot|JSON)$/);
    await page.keyboard.press('End');
    t.equal(await active(), 'Headers');
    await page.keyboard.press('ArrowRight');
    t.equal(await active(), 'Table');
    t.strictSame(tab.trouble, []);
  });

  await t.test('dark and light', async (t) => {
    const back = 'getComputedStyle(document.body).backgroundColor';
    const light = await browser.open(url, { colorScheme: 'light' });
    const bright = await light.evaluate<string>(back);
    const dark = await browser.open(`${url}/#get/v1/products`, { colorScheme: 'dark' });
    const dim = await dark.evaluate<string>(back);
    t.not(dim, bright);
    await dark.run();
    t.strictSame(await dark.barriers(), []);
    await dark.page.getByLabel('Theme').selectOption('light');
    t.equal(await dark.evaluate(back), bright);
    await dark.page.reload();
    await dark.page.getByRole('heading', { level: 1 }).waitFor();
    t.equal(await dark.evaluate(back), bright);
    await light.page.getByLabel('Theme').selectOption('dark');
    t.equal(await light.evaluate(back), dim);
    t.strictSame([...light.trouble, ...dark.trouble], []);
  });

  await t.test('the width of a phone', async (t) => {
    const tab = await browser.open(url, { viewport: { width: 360, height: 700 } });
    const { page } = tab;
    const overflow = (): Promise<number> =>
      tab.evaluate('document.documentElement.scrollWidth - innerWidth');
    const menu = page.getByRole('button', { name: 'Scripts' });
    t.equal(await page.getByRole('navigation').isVisible(), false);
    await menu.click();
    t.equal(await menu.getAttribute('aria-expanded'), 'true');
    t.equal(await overflow(), 0);
    await page.getByRole('link', { name: 'GET /v1/products Products by name' }).click();
    await page.getByRole('heading', { name: 'Products by name' }).waitFor();
    t.equal(await page.getByRole('navigation').isVisible(), false);
    await tab.run();
    await tab.cells();
    t.equal(await overflow(), 0);
    t.strictSame(await tab.barriers(), []);
    t.strictSame(tab.trouble, []);
  });

  await t.test('for everybody: the first view, a result, the tables', async (t) => {
    const tab = await browser.open(url);
    const { page } = tab;
    t.strictSame(await tab.barriers(), []);
    await page.goto(`${url}/#get/v1/products`);
    await tab.run();
    t.strictSame(await tab.barriers(), []);
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByText('public.products', { exact: true }).click();
    await page.getByRole('cell', { name: 'category' }).waitFor();
    t.strictSame(await tab.barriers(), []);
    t.strictSame(tab.trouble, []);
  });
});

t.test('with a token', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const postgres = await startPostgres(t);
  const service = await startService(t, {
    database: postgres.url,
    scripts: { 'a/one.read.sql': 'SELECT 1 AS one' },
    config: {
      'http.host': '127.0.0.1',
      'auth.enabled': true,
      'auth.migrate_on_startup': false,
      'jwt.key': SECRET,
      'access.restrict': true,
    },
  });
  const tab = await browser.open(service.url);
  const { page } = tab;
  const enter = async (token: string): Promise<void> => {
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Use' }).click();
  };
  await page.getByRole('heading', { name: 'The service needs a token.' }).waitFor();
  t.strictSame(await tab.barriers(), []);
  await enter('wrong');
  await page.getByRole('heading', { name: 'The token was not accepted.' }).waitFor();
  await enter(`Bearer ${userToken('ann')}`);
  await page.getByRole('link', { name: /one/ }).click();
  t.match(await tab.run(), /^200 OK · 1 row/);
  const code = await page.getByRole('region', { name: 'curl' }).textContent();
  t.match(code, /Bearer \$TOKEN/);
  t.notMatch(await page.content(), userToken('ann').split('.')[2]!);
  await page.reload();
  t.match(await tab.run(), /^200 OK/);
  const other = await page.context().newPage();
  await other.goto(service.url);
  await other.getByRole('heading', { name: 'The service needs a token.' }).waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('heading', { name: 'The service needs a token.' }).waitFor();
  t.strictSame(tab.trouble, []);
});

t.test('under a context, behind the prefix of a proxy', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const postgres = await startPostgres(t);
  const service = await startService(t, {
    database: postgres.url,
    scripts: {
      'a/one.read.sql': 'SELECT 1 AS one',
      'a/two.write.sql': 'CREATE TABLE two ()',
    },
    config: { context: '/api' },
  });
  const outside = await startProxy(t, service.port, '/outer');
  for (const address of [`${service.url}/_docs`, `${service.url}/`, `${outside}/outer/api/_docs`]) {
    const tab = await browser.open(address);
    const { page } = tab;
    await page.getByRole('link', { name: 'GET one' }).click();
    t.match(await tab.run(), /^200 OK · 1 row/, address);
    t.strictSame(await tab.cells(), [['1']]);
    t.strictSame(tab.trouble, []);
  }
});

/** startProxy starts a proxy that removes a prefix, and gives its origin. */
async function startProxy(
  t: Pick<Test, 'teardown'>,
  port: number,
  prefix: string,
): Promise<string> {
  const proxy = http.createServer((request, response) => {
    const target = request.url!;
    if (!target.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    const { method, headers } = request;
    const options = { port, method, headers, path: target.slice(prefix.length) };
    const inner = http.request({ host: '127.0.0.1', ...options }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(inner);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
