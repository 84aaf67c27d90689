/**
 * A hundred scripts for the tables of the benchmark, as users write them: rows by key, lists with optional filters and an
 * order, counts, inserts and updates. No two have the same text.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const SCRIPTS = 100;

/** Texts for the number of a script; each form is proved in one to eight texts. */
const FORMS: readonly (readonly [verb: string, text: (limit: number) => string])[] = [
  ['read', (n) => `SELECT id, owner, city, ${n} AS n FROM accounts WHERE id = {{sqlVal "id"}}`],
  [
    'read',
    (n) => `SELECT id, owner FROM accounts
WHERE active{{if isSet "city"}} AND city = {{sqlVal "city"}}{{end}} ORDER BY id LIMIT ${n}`,
  ],
  [
    'read',
    (n) => `SELECT id, owner, balance FROM accounts WHERE true
{{- if isSet "city"}} AND city = {{sqlVal "city"}}{{end}}
{{- if isSet "above"}} AND balance > {{sqlVal "above"}}{{end}}
{{- if isSet "since"}} AND created >= {{sqlVal "since"}}{{end}}
ORDER BY id LIMIT ${n}`,
  ],
  [
    'read',
    (n) => `SELECT id, owner FROM accounts
ORDER BY {{if eq .by "owner"}}owner{{else if eq .by "city"}}city{{else}}id{{end}} LIMIT ${n}`,
  ],
  ['read', (n) => `SELECT city, count(*), sum(balance) FROM accounts GROUP BY city LIMIT ${n}`],
  [
    'read',
    (
      n,
    ) => `SELECT a.id, a.owner, e.kind, e.at FROM accounts a LEFT JOIN events e ON e.account = a.id
WHERE a.id = {{sqlVal "id"}}{{if isSet "kind"}} AND e.kind = {{sqlVal "kind"}}{{end}} LIMIT ${n}`,
  ],
  [
    'read',
    (n) => `SELECT id, left(body, ${n}) AS text FROM documents WHERE id IN {{sqlList "id"}}`,
  ],
  [
    'write',
    (
      n,
    ) => `INSERT INTO events (account, kind, note) VALUES ({{sqlVal "id"}}, 'kind ${n}', {{sqlVal "note"}})
RETURNING id`,
  ],
  [
    'update',
    (n) => `UPDATE accounts SET balance = balance + ${n}
{{- if isSet "city"}}, city = {{sqlVal "city"}}{{end}} WHERE id = {{sqlVal "id"}} RETURNING id, balance`,
  ],
  [
    'delete',
    (n) => `DELETE FROM events WHERE id = {{sqlVal "id"}} AND account > ${n} RETURNING id`,
  ],
];

/** writeScripts writes them below a folder. */
export function writeScripts(folder: string): void {
  for (let n = 0; n < SCRIPTS; n++) {
    const [verb, text] = FORMS[n % FORMS.length]!;
    const place = path.join(folder, `group${n % FORMS.length}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, `script${n}.${verb}.sql`), `${text(n + 1)}\n`);
  }
}
