/** docs/recipes.md: on the shop of the examples, every script answers each request as the page shows. */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { startPostgres, type Postgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { startService } from '../support/service.js';
import { SECRET, signToken } from '../support/tokens.js';
import { runExamples } from './shell-examples.js';

const read = (file: string): string =>
  readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Level of warnings in the log. */
const WARN = 40;

const DOCUMENT = read('docs/recipes.md');
const CONFIGURATION = /^```toml\n(.*?)\n```$/ms;
const SECTIONS = DOCUMENT.split(/^(?=## )/m);

/** Serves the scripts of a part of the page, over its tables, and runs its commands. */
async function tryOut(t: Test, postgres: Postgres, part: string): Promise<void> {
  const scripts: Record<string, string> = {};
  for (const [, file, text = ''] of part.matchAll(/(?:^`([^`]+)`\n\n)?^```sql\n(.*?)\n```$/gms))
    if (file === undefined) await postgres.sql(text);
    else scripts[file] = text;
  const toml = CONFIGURATION.exec(part)?.[1];
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: toml === undefined ? {} : { 'http.host': '127.0.0.1', 'mcp.enabled': false, 'jwt.key': SECRET }, // prettier-ignore
    prepare: (folder) => appendFileSync(path.join(folder, 'service.toml'), toml ?? ''),
  });
  const tokens = { ANN: signToken({ sub: 'ann' }), BO: signToken({ sub: 'bo' }) };
  await runExamples(t, part, service.url, service.folder, tokens);
  // On a busy machine the first look at the database may take too long.
  const isSlowLook = (msg: string): boolean => msg.startsWith('the database does not answer');
  t.strictSame(
    service.lines.filter(({ level, msg }) => Number(level) >= WARN && !isSlowLook(msg)),
    [],
  );
}

t.test('recipes', { skip: without('curl') }, async (t) => {
  const postgres = await startPostgres(t);
  await postgres.sql(read('examples/database.sql'));
  const configured = SECTIONS.filter((section) => CONFIGURATION.test(section));
  await tryOut(t, postgres, SECTIONS.filter((one) => !configured.includes(one)).join(''));
  for (const section of configured) await tryOut(t, postgres, section);
});

t.test('the list of recipes', (t) => {
  const headings = DOCUMENT.match(/^## .*$/gm) ?? [];
  const links = DOCUMENT.match(/^- \[.*$/gm) ?? [];
  t.strictSame(
    links,
    headings.map((one) => `- [${one.slice(3)}](#${one.slice(3).toLowerCase().replaceAll(/[^\w ]/g, '').replaceAll(' ', '-')})`), // prettier-ignore
  );
  t.end();
});
