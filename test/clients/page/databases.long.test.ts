/** Several databases on the page: who may choose which, and the address that keeps the choice. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { startService } from '../../support/service.js';
import { SECRET, userToken } from '../../support/tokens.js';
import { startBrowser, WITHOUT_BROWSER } from './browser.js';

const SCRIPTS = {
  'a/where.read.sql': '-- @path /v1/where\nSELECT current_database() AS name',
  'a/other.read.sql': 'SELECT 1 AS n',
};

t.test('the databases that a caller can use', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const postgres = await startPostgres(t);
  await postgres.sql('CREATE DATABASE second');
  const databases = [{ alias: 'second' }, { alias: 'Größe', database: 'second' }];
  const { url } = await startService(t, {
    database: postgres.url,
    scripts: SCRIPTS,
    config: { databases },
  });

  await t.test('with the keyboard, and back', async (t) => {
    const tab = await browser.open(`${url}/#get/v1/where`);
    const { page } = tab;
    const choice = page.getByLabel('Database');
    t.strictSame(await choice.locator('option').allTextContents(), ['postgres', 'second', 'Größe']);
    t.strictSame(await tab.barriers(), []);
    await tab.run();
    t.strictSame(await tab.cells(), [['postgres']]);

    await choice.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText('2 scripts of second').waitFor({ state: 'attached' });
    t.equal(page.url(), `${url}/?database=second#get/_QUERIES/second/a/where`, 'the same script');
    t.equal(await tab.evaluate('document.activeElement.localName'), 'select');
    await tab.run();
    t.strictSame(await tab.cells(), [['second']]);

    await choice.selectOption('Größe');
    await page.getByText('2 scripts of Größe').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: /other/ }).click();
    await page.getByRole('heading', { name: 'a/other' }).waitFor();
    await page.reload();
    t.match(await tab.run(), /^200 OK/);
    t.equal(await choice.inputValue(), 'Größe');

    await page.goBack();
    await page
      .getByText('Choose a script')
      .or(page.getByRole('heading', { name: 'a/where' }))
      .waitFor();
    await page.goBack();
    await page.locator('.title', { hasText: 'second' }).waitFor();
    t.equal(await choice.inputValue(), 'second');
    await page.goBack();
    await page.locator('.title', { hasText: 'postgres' }).waitFor();
    t.equal(page.url(), `${url}/#get/v1/where`);
    await page.getByText('/v1/where').first().waitFor();
    await choice.selectOption('second');
    await page.locator('.title', { hasText: 'second' }).waitFor();
    await choice.selectOption('postgres');
    await page.locator('.title', { hasText: 'postgres' }).waitFor();
    t.notMatch(page.url(), 'database=', 'the default one has no part in the address');
    t.strictSame(tab.trouble, []);
  });

  await t.test('one that is not there', async (t) => {
    const tab = await browser.open(`${url}/?database=none`);
    const { page } = tab;
    await page.getByText('database not registered: none').waitFor();
    await page.getByLabel('Database').selectOption('second');
    await page.getByRole('link', { name: /where/ }).waitFor();
    t.strictSame(tab.trouble, []);
  });

  await t.test('the width of a phone', async (t) => {
    const tab = await browser.open(url, { viewport: { width: 360, height: 700 } });
    await tab.page.getByLabel('Database').waitFor();
    t.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    t.strictSame(await tab.barriers(), []);
  });
});

t.test('with permissions', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const postgres = await startPostgres(t);
  const read = { location: 'a', permissions: ['read'] };
  const { url } = await startService(t, {
    database: postgres.url,
    scripts: SCRIPTS,
    config: {
      'http.host': '127.0.0.1',
      'auth.enabled': true,
      'auth.migrate_on_startup': false,
      'jwt.key': SECRET,
      databases: [
        { alias: 'second', database: 'postgres' },
        { alias: 'hidden', database: 'postgres' },
      ],
      'queries.restrict': true,
      'queries.users': [
        {
          name: 'ann',
          scripts: [
            { ...read, database: 'postgres' },
            { ...read, database: 'second' },
          ],
        },
        { name: 'bob', scripts: [{ ...read, database: 'postgres' }] },
      ],
    },
  });
  const tab = await browser.open(url);
  const { page } = tab;
  const choice = page.getByLabel('Database');
  const enter = async (user: string): Promise<void> => {
    await page.getByLabel('Token', { exact: true }).fill(userToken(user));
    await page.getByRole('button', { name: 'Use' }).click();
  };
  t.equal(await choice.isVisible(), false);
  await enter('ann');
  await choice.waitFor();
  t.strictSame(await choice.locator('option').allTextContents(), ['postgres', 'second']);
  await page.getByRole('button', { name: 'Forget' }).click();
  await choice.waitFor({ state: 'hidden' });
  await enter('bob');
  await page.getByRole('link', { name: /where/ }).waitFor();
  t.equal(await choice.isVisible(), false);
  t.notMatch(await page.content(), 'hidden</option>');
  t.strictSame(tab.trouble, []);
});
