/** The paths of stored texts that cannot be used: they stay, marked as broken. */
import t from 'tap';
import type { Logger } from '#app/observe/log.js';
import { StoredScript } from '#app/stored/scripts/stored-script.js';
import { ScriptSnapshot } from '#app/stored/scripts/script-snapshot.js';

const log = { warn: () => undefined, error: () => undefined } as unknown as Logger;
const TEXTS: Readonly<Record<string, string>> = {
  good: '-- @path /v1/good\nSELECT 1',
  directive: '-- @path /v1/directive\n-- @status 7\nSELECT 1',
  template: '-- @path /v1/template\nSELECT {{if}}',
  path: '-- @path /_v1\nSELECT 1',
};

t.test('of all databases', async (t) => {
  const scripts = Object.entries(TEXTS).map(([name, text], i) => {
    const row = { id: `${i}`, version: '1', database: '', path: `a/${name}` };
    const texts = [text, undefined, undefined, undefined];
    return [`${i}`, new StoredScript({ ...row, texts }, undefined, log)] as const;
  });
  const routed = await new ScriptSnapshot('', new Map(scripts)).routed('main');
  t.same(
    routed.map(({ name, routes, broken }) => [name, routes.map(({ path }) => path), broken]),
    [
      ['good', ['/v1/good'], false],
      ['directive', ['/v1/directive'], true],
      ['template', ['/v1/template'], true],
    ],
  );
});
