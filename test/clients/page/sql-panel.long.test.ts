/** The SQL of a script on the page: the branch that a request renders, and that others see nothing of it. */
import t from 'tap';
import { startShop } from '../../service/shop.js';
import { startBrowser, WITHOUT_BROWSER, type Tab } from './browser.js';

const MARKUP = `<img src=x onerror=alert(1)>`;

const SCRIPTS = {
  'reports/branches.read.sql': `-- Branches. ${MARKUP}
-- @param size integer required
SELECT name FROM products
{{if isSet "category"}}
WHERE category = {{sqlVal "category"}}
{{else}}
WHERE stock > 0
{{end}}
ORDER BY name {{if eq .order "down"}}DESC{{else}}ASC{{end}} LIMIT {{sqlVal "size"}}::int`,
};

/** The lines that are marked: number, sign with its text. */
function marks(tab: Tab): Promise<string[]> {
  return tab.evaluate(
    `[...document.querySelectorAll('table.lines tbody tr')].map(({ children: [number, mark] }) => (number.textContent + ' ' + mark.textContent).trim())`,
  );
}

t.test('for users who may see it', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const { service } = await startShop(t, { debug: true }, SCRIPTS);
  const tab = await browser.open(`${service.url}/#get/_QUERIES/reports/branches`);
  const { page } = tab;
  const panel = page.getByRole('region', { name: 'SQL of the script' });
  const summary = panel.getByText('What the script renders');
  const statement = panel.getByRole('region', { name: 'Statement' });

  await t.test('a request that renders nothing', async (t) => {
    await summary.focus();
    await page.keyboard.press('Enter');
    await panel.getByText('renders nothing: 400').waitFor();
    t.equal(await panel.locator('table').count(), 0);
    t.strictSame(await tab.barriers(), []);
  });

  await t.test('the branch of the last run', async (t) => {
    await page.getByLabel('size integer').fill('2');
    await tab.run();
    await panel.getByText('WHERE stock > 0').first().waitFor();
    t.match(await panel.getByRole('status').textContent(), 'GET /_QUERIES/reports/branches?size=2');
    const common = ['1 ●yes', '2 ●yes', '3 ●yes', '4'];
    t.strictSame(await marks(tab), [...common, '5 ○no', '6', '7 ●yes', '8', '9 ◐in part']);
    t.match(await statement.textContent(), /WHERE stock > 0\s+ORDER BY name ASC LIMIT \$1::int/);
    t.strictSame(await panel.locator('table').last().locator('td').allTextContents(), ['$1', 'size', '2']); // prettier-ignore

    await page.getByLabel('category').first().fill(MARKUP);
    await tab.run();
    await panel.getByText('GET /_QUERIES/reports/branches?category').waitFor();
    t.strictSame(await marks(tab), [...common, '5 ●yes', '6', '7 ○no', '8', '9 ◐in part']);
    t.strictSame(await panel.locator('table').last().locator('td').allTextContents(), ['$1', 'category', MARKUP, '$2', 'size', '2']); // prettier-ignore
    const last = panel.locator('table.lines tbody tr').last();
    t.match(await last.textContent(), /not rendered: DESC end of that/);
    t.equal(await page.locator('main img').count(), 0);
    t.strictSame(await tab.barriers(), []);
  });

  await t.test('a body, and nothing that runs', async (t) => {
    await page.goto(`${service.url}/#post/v1/products`);
    await page
      .getByLabel('Body', { exact: true })
      .fill('{"name": "Mate", "category": "tea", "price": 4.5}');
    await summary.click();
    await panel.getByText('body.price').first().waitFor();
    const found = await service.ask('/v1/products?size=100');
    t.notMatch(found.text, 'Mate');
  });

  await t.test('dark, and the width of a phone', async (t) => {
    const options = { colorScheme: 'dark', viewport: { width: 360, height: 700 } } as const;
    const small = await browser.open(page.url(), options);
    await small.page.getByText('What the script renders').click();
    await small.page.locator('table.lines').waitFor();
    t.equal(await small.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    t.strictSame(await small.barriers(), []);
    t.strictSame(small.trouble, []);
  });
  t.strictSame(tab.trouble, []);
});

t.test('for nobody else', { skip: WITHOUT_BROWSER }, async (t) => {
  const browser = await startBrowser(t);
  const { service } = await startShop(t, {}, SCRIPTS);
  const tab = await browser.open(`${service.url}/#get/_QUERIES/reports/branches`);
  const { page } = tab;
  await page.getByLabel('size integer').fill('2');
  t.match(await tab.run(), /^200 OK/);
  t.equal(await page.getByText('SQL of the script').count(), 0);
  t.notMatch(await page.content(), 'WHERE stock');
  t.strictSame(tab.trouble, []);
});
