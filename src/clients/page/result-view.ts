/** A response: its status, time and size, and its rows as a table, as a plot and as JSON, or the error. */
import { textOf, type Received } from './client.js';
import { codeBlock } from './code-block.js';
import { button, h } from './dom.js';
import { failureOf, type Failure } from './failure.js';
import { indented } from './json-text.js';
import { isJson } from './operations.js';
import { MOST_POINTS, plotOf } from './plot-data.js';
import { plot } from './plot.js';
import { readRows, type RowSet } from './rows.js';
import { rowsTable } from './rows-table.js';
import { tabs, type Tab } from './tabs.js';

/** How much of a text is put into the page at once (characters). */
const PART = 100_000;

export interface Shown {
  readonly element: HTMLElement;
  /** One line about the response, also for screen readers. */
  readonly summary: string;
  readonly failure: Failure | undefined;
}

export function resultView(received: Received): Shown {
  const { status, statusText, bytes, time } = received;
  const failure = failureOf(received);
  const rows = failure === undefined ? rowsOf(received) : undefined;
  const counts = [
    `${status} ${statusText}`.trim(),
    rows === undefined ? '' : `${rows.count} ${rows.count === 1 ? 'row' : 'rows'}`,
    rows?.affected === undefined ? '' : `${rows.affected} affected`,
    `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`,
    sizeText(bytes.byteLength),
  ];
  const all: Tab[] = [];
  if (failure !== undefined) all.push({ name: 'Error', content: () => failureView(failure) });
  if (rows !== undefined) all.push({ name: 'Table', content: () => rowsTable(rows) });
  const drawn = rows && plotOfRows(rows);
  if (drawn !== undefined) all.push({ name: 'Plot', content: () => drawn });
  all.push(bodyTab(received), { name: 'Headers', content: () => headersView(received) });
  return {
    element: tabs('Response', all),
    summary: counts.filter((text) => text !== '').join(' · '),
    failure,
  };
}

function rowsOf(received: Received): RowSet | undefined {
  return isJson(received.type) && received.bytes.byteLength > 0
    ? readRows(textOf(received))
    : undefined;
}

function plotOfRows(rows: RowSet): HTMLElement | undefined {
  const { columns, rows: cells } = rows.page(0, MOST_POINTS);
  const data = plotOf(columns, cells);
  return data && plot(data);
}

function failureView({ message, code, parameters, more }: Failure): HTMLElement {
  const facts: [string, string][] = [];
  if (code !== undefined) facts.push(['Code', code]);
  for (const { name, expected } of parameters) facts.push([name, expected]);
  facts.push(...more.map(([name, value]): [string, string] => [name, value]));
  const list = facts.flatMap(([name, value]) => [
    h('dt', {}, name),
    value.includes('\n') ? h('dd', {}, h('pre', {}, value)) : h('dd', {}, value),
  ]);
  return h(
    'div',
    { class: 'failure' },
    h('p', { class: 'message' }, message),
    h('dl', {}, ...list),
  );
}

function bodyTab(received: Received): Tab {
  const { type, bytes } = received;
  if (bytes.byteLength === 0)
    return { name: 'Body', content: () => h('p', { class: 'empty' }, 'The response has no body.') };
  if (isJson(type)) return { name: 'JSON', content: () => textView(received, true) };
  if (/^text\/|xml\b/.test(type)) return { name: 'Text', content: () => textView(received, false) };
  return { name: 'Body', content: () => h('p', {}, `${type}, `, saveButton(received)) };
}

function textView(received: Received, json: boolean): HTMLElement {
  const text = textOf(received);
  let limit = PART;
  const part = (): { text: string; whole: boolean } =>
    json ? indented(text, limit) : { text: text.slice(0, limit), whole: text.length <= limit };
  let shown = part();
  const block = codeBlock('Body of the response', () => shown.text);
  const more = button('Show more', () => {
    limit += PART;
    shown = part();
    block.refresh();
    more.hidden = shown.whole;
  });
  more.hidden = shown.whole;
  return h('div', {}, block, h('p', { class: 'pages' }, more, saveButton(received)));
}

/** A file of the body as it was sent. */
function saveButton({ bytes, type }: Received): HTMLElement {
  return button('Save as a file', () => {
    const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    h('a', { href: url, download: isJson(type) ? 'response.json' : 'response' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
}

function headersView({ headers }: Received): HTMLElement {
  const list = headers.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);
  return h('dl', { class: 'headers' }, ...list);
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024
    ? `${(bytes / 1024).toFixed(1)} KiB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
