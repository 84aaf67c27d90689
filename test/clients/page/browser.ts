/** Chromium for tests of the page, driven over its own protocol, and what must never happen in it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { findProgram, notInstalled } from '../../support/programs.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PROGRAM = findProgram('chromium', 'chromium-browser', 'google-chrome');

/** Reason to skip tests that need a browser. */
export const WITHOUT_BROWSER = PROGRAM === undefined && notInstalled('chromium');

/** A tab, and what went wrong in it: violations of the policy, exceptions, dialogs, requests to other hosts. */
export class Tab {
  readonly page: Page;
  readonly trouble: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    page.on('console', (message) => {
      const text = message.text();
      // The browser reports each response with an error status.
      if (message.type() !== 'error' || text.startsWith('Failed to load resource: the server'))
        return;
      this.trouble.push(text);
    });
    page.on('pageerror', (error) => this.trouble.push(String(error)));
    page.on('dialog', (dialog) => {
      this.trouble.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== origin) this.trouble.push(url.href);
    });
  }

  /** evaluate runs an expression over the protocol, which the policy of the page does not concern. */
  async evaluate<T>(expression: string): Promise<T> {
    const session = await this.page.context().newCDPSession(this.page);
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
    await session.detach();
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value as T;
  }

  /** barriers lists what axe finds of WCAG 2.2 A and AA and of its best practices. */
  async barriers(): Promise<readonly string[]> {
    await this.evaluate(`${AXE}; undefined`);
    const found = await this.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target }) => ({ target })) })))',
    );
    return found.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }

  /** run clicks Run and gives the line about the response. */
  async run(): Promise<string> {
    const status = this.page.locator('.actions [role=status]');
    await this.page.getByRole('button', { name: 'Run', exact: true }).click();
    await this.page.locator('.actions .status.good, .actions .status.bad').waitFor();
    return (await status.textContent()) ?? '';
  }

  /** cells are the texts of the rows in view, without their numbers. */
  async cells(): Promise<string[][]> {
    await this.page.locator('.result table').waitFor();
    return this.evaluate(
      `[...document.querySelectorAll('.result tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))`,
    );
  }
}

/** startBrowser starts one that ends with the test. */
export async function startBrowser(t: Pick<Test, 'teardown'>): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: PROGRAM!,
    chromiumSandbox: process.getuid!() !== 0,
    args: ['--disable-gpu', '--disable-dev-shm-usage'],
  });
  t.teardown(() => browser.close());
  return new TestBrowser(browser);
}

export class TestBrowser {
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** open opens an address in a new profile. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await this.#browser.newContext({ locale: 'en-GB', ...options });
    context.setDefaultTimeout(60_000);
    const tab = new Tab(await context.newPage(), new URL(url).origin);
    await tab.page.goto(url);
    await tab.page.locator('main > *').first().waitFor();
    return tab;
  }
}
