/** docs/recipes.md: on the shop of the examples, every script answers each request as the page shows. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { runExamples, WITHOUT_CURL } from './shell-examples.js';

const read = (file: string): string =>
  readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Level of warnings in the log. */
const WARN = 40;

const DOCUMENT = read('docs/recipes.md');

t.test('recipes', { skip: WITHOUT_CURL }, async (t) => {
  const postgres = await startPostgres(t);
  await postgres.sql(read('examples/database.sql'));
  const scripts: Record<string, string> = {};
  for (const [, file, text = ''] of DOCUMENT.matchAll(/(?:^`([^`]+)`\n\n)?^```sql\n(.*?)\n```$/gms))
    if (file === undefined) await postgres.sql(text);
    else scripts[file] = text;
  const service = await startService(t, { database: postgres.url, scripts });
  await runExamples(t, DOCUMENT, service.url, service.folder);
  t.strictSame(
    service.lines.filter(({ level }) => Number(level) >= WARN),
    [],
  );
  const headings = DOCUMENT.match(/^## .*$/gm) ?? [];
  const links = DOCUMENT.match(/^- \[.*$/gm) ?? [];
  t.strictSame(
    links,
    headings.map((one) => `- [${one.slice(3)}](#${one.slice(3).toLowerCase().replaceAll(/[^\w ]/g, '').replaceAll(' ', '-')})`), // prettier-ignore
  );
});
