/** Rows as a table, a page of them at a time: a result of any size takes as much of the document as a small one. */
import { button, h } from './dom.js';
import { kindOf } from './json-text.js';
import { cellText, type Cell, type RowSet } from './rows.js';

const PAGE = 100;

/** Longer texts are cut in a cell; the JSON has them whole. */
const LONGEST = 2_000;

export function rowsTable(rows: RowSet): HTMLElement {
  const place = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Rows' });
  const shown = h('span', { role: 'status' });
  let from = 0;
  const show = (first: number): void => {
    from = first;
    place.replaceChildren(table(rows, from));
    place.scrollTop = 0;
    const last = Math.min(from + PAGE, rows.count);
    shown.textContent = `Rows ${from + 1} to ${last} of ${rows.count}`;
    previous.disabled = from === 0;
    next.disabled = last === rows.count;
  };
  const previous = button('Previous', () => show(from - PAGE));
  const next = button('Next', () => show(from + PAGE));
  if (rows.count === 0) return h('p', { class: 'empty' }, 'There are no rows.');
  show(0);
  const pages = rows.count > PAGE && h('div', { class: 'pages' }, previous, next, shown);
  return h('div', {}, pages, place);
}

function table(rows: RowSet, from: number): HTMLElement {
  const { columns, rows: cells } = rows.page(from, PAGE);
  const numbered = rows.count > 1;
  const head = columns.map((name, i) => {
    const raw = cells[0]?.[i];
    const number = raw !== undefined && kindOf(raw) === 'number';
    return h('th', { scope: 'col', class: number ? 'amount' : undefined }, name);
  });
  const body = cells.map((row, i) =>
    h(
      'tr',
      {},
      numbered && h('th', { scope: 'row', class: 'number' }, String(from + i + 1)),
      ...columns.map((_, column) => cell(row[column])),
    ),
  );
  return h(
    'table',
    {},
    h(
      'thead',
      {},
      h('tr', {}, numbered && h('th', { scope: 'col', class: 'number' }, '#'), ...head),
    ),
    h('tbody', {}, ...body),
  );
}

function cell(raw: Cell): HTMLElement {
  const kind = raw === undefined ? 'absent' : kindOf(raw);
  const text = cellText(raw);
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return h('td', { class: kind }, shown);
}
