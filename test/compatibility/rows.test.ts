/**
 * Rows of docs/compatibility.md with an anchor are those that recordings show: every difference that a recording names
 * is there, and every such row is shown by one.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { allRecordings } from './recordings.js';

const page = readFileSync('docs/compatibility.md', 'utf8');
const rows = [...page.matchAll(/^\| <a id="([^"]+)"><\/a>/gm)].map(([, id]) => id!);
const recordings = allRecordings();
const named = new Set(recordings.flatMap(({ differs = [] }) => differs));

t.strictSame([...new Set(rows)], rows, 'an id is given once');
t.strictSame(
  [...named].filter((id) => !rows.includes(id)),
  [],
  'differences without a row',
);
t.strictSame(rows.filter((id) => !named.has(id)), [], 'rows without a recording'); // prettier-ignore
const halves = recordings.filter(({ differs, ours }) => (differs === undefined) !== (ours === undefined)); // prettier-ignore
t.strictSame(halves, [], 'a difference says what ours is');
t.equal(page.match(/<a id=/g)?.length, rows.length, 'anchors begin rows');
t.end();
