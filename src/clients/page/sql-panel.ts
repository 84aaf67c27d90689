/**
 * The SQL of a script, for users who may see it: the lines of its text with those that a request renders marked, and the
 * statement with its values. The service renders it without running it.
 */
import { textOf, type Client } from './client.js';
import { codeBlock } from './code-block.js';
import { h } from './dom.js';
import { failureOf } from './failure.js';
import type { PreparedRequest } from './prepared-request.js';
import { readRows } from './rows.js';
import { rowsTable } from './rows-table.js';
import { linesOf, type Line, type Piece } from './template-lines.js';

/** Most lines of a template, and most characters of a statement, that are put into the page. */
const MOST_LINES = 2_000;
const PART = 100_000;

interface Shown {
  readonly template: readonly Piece[];
  readonly statement: string;
  readonly values: readonly {
    readonly parameter?: string;
    readonly value: string | null;
    readonly length?: number;
  }[];
  readonly more_values: number;
}

export class SqlPanel {
  readonly element: HTMLDetailsElement;
  readonly #client: Client;
  readonly #status = h('p', { role: 'status', class: 'hint' });
  readonly #content = h('div');
  #shows = 0;

  /** `request` is what the form has now. */
  constructor(client: Client, request: () => PreparedRequest) {
    this.#client = client;
    const summary = h('summary', {}, 'What the script renders for the request');
    this.element = h('details', { class: 'sql' }, summary, this.#status, this.#content);
    this.element.addEventListener('toggle', () => {
      if (this.element.open) void this.#show(request());
    });
  }

  /** ran shows the SQL of a request that is run, if the panel is open. */
  ran(request: PreparedRequest): void {
    if (this.element.open) void this.#show(request);
  }

  async #show(request: PreparedRequest): Promise<void> {
    const nth = ++this.#shows;
    const { base } = this.#client;
    const url = new URL(request.url);
    if (url.searchParams.has('_renderer')) url.searchParams.delete('_renderer');
    const target = url.href.slice(base.length);
    let said = `${request.method} /${target}`;
    let content: HTMLElement[] = [];
    try {
      const received = await this.#client.send(
        { ...request, url: `${base}_docs/sql/${target}` },
        null,
      );
      const { status, statusText } = received;
      if (status === 200) content = contentOf(JSON.parse(textOf(received)) as Shown);
      else said += ` renders nothing: ${status} ${failureOf(received)?.message ?? statusText}`;
    } catch (error) {
      said += ` cannot be shown: ${(error as Error).message}`;
    }
    if (nth !== this.#shows) return;
    this.#status.textContent = said;
    this.#content.replaceChildren(...content);
  }
}

function contentOf({ template, statement, values, more_values: more }: Shown): HTMLElement[] {
  const lines = linesOf(template);
  const rows = values.map(({ parameter, value, length }, i) => ({
    placeholder: `$${i + 1}`,
    parameter: parameter ?? '',
    value: length === undefined ? value : `${value}… (${length} characters)`,
  }));
  const isWhole = statement.length <= PART;
  return [
    h('h3', {}, 'Template'),
    h('p', { class: 'hint', 'aria-hidden': 'true' }, '● rendered  ◐ in part  ○ not rendered'),
    linesTable(lines.slice(0, MOST_LINES)),
    ...(lines.length > MOST_LINES
      ? [h('p', { class: 'hint' }, `${lines.length - MOST_LINES} further lines`)]
      : []),
    h('h3', {}, 'Statement'),
    codeBlock('Statement', () => (isWhole ? statement : `${statement.slice(0, PART)}…`)),
    h('h3', {}, 'Values'),
    rows.length === 0
      ? h('p', { class: 'empty' }, 'It binds no values.')
      : rowsTable(readRows(JSON.stringify(rows))!),
    ...(more > 0 ? [h('p', { class: 'hint' }, `${more} further values`)] : []),
  ];
}

const MARKS: Readonly<Record<Line['state'], readonly [sign: string, text: string]>> = {
  rendered: ['●', 'yes'],
  partly: ['◐', 'in part'],
  skipped: ['○', 'no'],
  control: ['', ''],
};

function linesTable(lines: readonly Line[]): HTMLElement {
  const rows = lines.map(({ state, pieces }, i) => {
    const [sign, text] = MARKS[state];
    const mark = [h('span', { 'aria-hidden': 'true' }, sign), h('span', { class: 'unseen' }, text)];
    const code = pieces.map((piece) => {
      const skips = piece.state === 'skipped' && state === 'partly' && piece.text.trim() !== '';
      return h(
        'span',
        { class: piece.state },
        skips && h('span', { class: 'unseen' }, ' not rendered: '),
        piece.text,
        skips && h('span', { class: 'unseen' }, ' end of that. '),
      );
    });
    return h(
      'tr',
      { class: state },
      h('th', { scope: 'row', class: 'number' }, String(i + 1)),
      h('td', { class: 'mark' }, ...mark),
      h('td', {}, h('code', {}, ...code)),
    );
  });
  const head = ['Line', 'Rendered', 'Text'].map((name) =>
    h('th', { scope: 'col' }, h('span', { class: 'unseen' }, name)),
  );
  const table = h(
    'table',
    { class: 'lines' },
    h('caption', { class: 'unseen' }, 'The template, and which of its lines are rendered'),
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...rows),
  );
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Template' },
    table,
  );
}
