/** docs/observability.md has every metric. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { createLogger } from '#app/observe/log.js';
import { suffixOf } from '#app/observe/metrics/text-format.js';
import { ProcessMetrics } from '#app/serve/supervisor/process-metrics.js';
import { TABLES } from '#app/observe/metrics/catalogue.js';
import { Scrape } from '#app/serve/supervisor/scrape.js';

const FILE = new URL('../../../../docs/observability.md', import.meta.url);

t.test('every metric is documented, and no other', (t) => {
  const log = createLogger({ level: 'silent', pretty: false }, {});
  const own = new Scrape(new ProcessMetrics(log)).families();
  const counted = TABLES.flatMap(({ fields }) => fields);
  const names = [...own, ...counted].map((one) => one.name + suffixOf(one)).sort();
  const text = readFileSync(FILE, 'utf8');
  const documented = [...text.matchAll(/^\| `([a-z0-9]+_[a-z0-9_]+)`/gm)].map(([, name]) => name);
  t.same(documented.sort(), names);
  t.equal(new Set(names).size, names.length, 'each name is one metric');
  t.end();
});
