/** Whether the page is served, and at `/`, follows from the address. */
import t from 'tap';
import { settingsOf } from '#app/commands/config/settings.js';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

const CASES: [toml: string, page: { atRoot: boolean } | undefined][] = [
  ['', { atRoot: true }],
  ['http.host = "localhost"', { atRoot: true }],
  ['http.host = "::1"', { atRoot: true }],
  ['http.host = "127.0.0.9"', { atRoot: true }],
  ['http.host = "0.0.0.0"', undefined],
  ['http.host = "127.0.0.1.example.com"', undefined],
  ['http.host = "192.168.1.5"\ndocs.page = true', { atRoot: false }],
  ['docs.page = false', undefined],
  [`auth.enabled = true\njwt.key = "${'k'.repeat(32)}"`, undefined],
];

t.test('docs.page', (t) => {
  for (const [toml, page] of CASES) {
    const [settings] = settingsOf(loader.load(toml).loaded!.config, false);
    t.strictSame(settings!.page, page, toml);
  }
  t.end();
});

t.test('a misspelt key stops the start', (t) => {
  t.match(loader.load('docs.pgae = false').problems, [/docs\.page/]);
  t.end();
});
