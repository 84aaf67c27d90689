/** One operation: its input and output, a form that runs it, the response, and the same call in other languages. */
import { BodyEditor } from './body-editor.js';
import type { Client } from './client.js';
import { codeBlock } from './code-block.js';
import { curlLine } from './curl-line.js';
import { button, h, newId } from './dom.js';
import type { Failure } from './failure.js';
import { Field } from './field.js';
import type { Catalogue, Finding, Operation, Outcome, Proof } from './operations.js';
import { prepare, type PreparedRequest } from './prepared-request.js';
import { resultView } from './result-view.js';
import type { Schemas } from './schema.js';
import { SqlPanel } from './sql-panel.js';
import { tabs } from './tabs.js';
import { typeScriptCall } from './typescript-call.js';

/** What every script takes, which few callers need. */
const RENDERER = '_renderer';
const MORE = (): HTMLElement => h('summary', {}, 'Format');

export class OperationView {
  readonly element: HTMLElement;
  readonly #operation: Operation;
  readonly #client: Client;
  readonly #fields: readonly Field[];
  readonly #body: BodyEditor | undefined;
  readonly #run = h('button', { type: 'submit', class: 'primary' }, 'Run');
  readonly #stop = button('Stop', () => this.stop(), { disabled: true });
  readonly #status = h('p', { role: 'status', class: 'status' });
  readonly #result = h('div', { class: 'result' });
  /** Undefined when the user may not see the SQL. */
  readonly #sql: SqlPanel | undefined;
  #running: AbortController | undefined;

  /** `showsSql`: whether the user may see the SQL of the script. */
  constructor(operation: Operation, { schemas }: Catalogue, client: Client, showsSql: boolean) {
    this.#operation = operation;
    this.#client = client;
    if (showsSql) this.#sql = new SqlPanel(client, () => this.#prepared());
    const changed = (): void => refresh();
    this.#fields = operation.parameters.map((one) => new Field(one, schemas, changed));
    this.#body = operation.body && new BodyEditor(operation.body, schemas, changed);
    const code = [
      codeBlock('curl', () => curlLine(this.#prepared(), client.hasToken)),
      codeBlock('TypeScript', () =>
        typeScriptCall(operation, schemas, this.#prepared(), client.hasToken),
      ),
    ] as const;
    const refresh = (): void => code.forEach((block) => block.refresh());
    const renderer = this.#elements((name) => name === RENDERER);
    const form = h(
      'form',
      { 'aria-label': 'Request' },
      ...this.#elements((name) => name !== RENDERER),
      this.#body?.element,
      renderer.length > 0 && h('details', { class: 'more' }, MORE(), ...renderer),
      h('div', { class: 'actions' }, this.#run, this.#stop, this.#status),
    );
    form.addEventListener('input', refresh);
    form.addEventListener('change', refresh);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      if (event.key === 'Escape') this.stop();
    });
    const calls = tabs('As code', [
      { name: 'curl', content: () => code[0] },
      { name: 'TypeScript', content: () => code[1] },
    ]);
    this.element = h(
      'article',
      { 'aria-labelledby': 'operation' },
      ...heading(operation),
      section('Request', form),
      section('Response', this.#result),
      this.#sql && section('SQL of the script', this.#sql.element),
      section('As code', calls),
      operation.outcomes.length > 0 && section('Responses', outcomes(operation.outcomes, schemas)),
      operation.proof && section('What the proof found', proofView(operation.proof)),
    );
    this.#result.append(h('p', { class: 'empty' }, 'Run it to see the response here.'));
  }

  /** stop ends a request that is running. */
  stop(): void {
    this.#running?.abort();
  }

  #elements(chosen: (name: string) => boolean): HTMLElement[] {
    return this.#fields
      .filter(({ parameter }) => chosen(parameter.name))
      .map(({ element }) => element);
  }

  #prepared(): PreparedRequest {
    const values = new Map(this.#fields.map((field) => [field.key, field.texts()]));
    return prepare(this.#operation, values, this.#body?.content(), this.#client.base);
  }

  async #send(): Promise<void> {
    if (this.#running !== undefined) return;
    const running = (this.#running = new AbortController());
    this.#run.disabled = true;
    this.#stop.disabled = false;
    this.#mark(undefined);
    this.#status.className = 'status';
    this.#status.textContent = 'Running…';
    try {
      const request = this.#prepared();
      this.#sql?.ran(request);
      const received = await this.#client.send(request, running.signal);
      const { element, summary, failure } = resultView(received);
      this.#status.textContent = summary;
      this.#status.classList.add(received.status < 400 ? 'good' : 'bad');
      this.#result.replaceChildren(element);
      this.#mark(failure);
    } catch (error) {
      this.#status.classList.add('bad');
      this.#status.textContent = running.signal.aborted
        ? 'Stopped.'
        : `There was no response: ${(error as Error).message}`;
      this.#result.replaceChildren();
    } finally {
      this.#running = undefined;
      const focused = document.activeElement === this.#stop;
      this.#run.disabled = false;
      this.#stop.disabled = true;
      if (focused) this.#run.focus();
    }
  }

  /** Shows at the fields what was wrong with them, and goes to the first one. */
  #mark(failure: Failure | undefined): void {
    const faults = new Map(failure?.parameters.map(({ name, expected }) => [name, expected]));
    let first: Field | undefined;
    for (const field of this.#fields) {
      const { name, place } = field.parameter;
      const fault = faults.get(place === 'header' ? `header.${name}` : name);
      field.mark(fault ?? '');
      if (fault !== undefined) first ??= field;
    }
    const ofBody = [...faults].filter(([name]) => name.startsWith('body.'));
    this.#body?.mark(ofBody.map(([name, expected]) => `${name}: ${expected}`).join(', '));
    first?.focus();
  }
}

function heading(operation: Operation): HTMLElement[] {
  const { method, path, others, summary, description, deprecated } = operation;
  const target = h('p', { class: 'target' }, methodMark(method), h('code', {}, path));
  const parts = [
    h('h1', { id: 'operation', tabindex: -1 }, summary === '' ? path : summary),
    target,
    ...others.map((other) => h('p', { class: 'about' }, 'Also at ', h('code', {}, other), '.')),
  ];
  if (deprecated)
    parts.push(h('p', { class: 'notice' }, 'Deprecated: new programs should not use it.'));
  const paragraphs = description === summary ? [] : description.split(/\n{2,}/);
  return [...parts, ...paragraphs.filter(Boolean).map((text) => h('p', { class: 'about' }, text))];
}

/** methodMark is the method as the list and the heading show it. */
export function methodMark(method: string): HTMLElement {
  return h('span', { class: `method ${method.toLowerCase()}` }, method);
}

function section(title: string, content: HTMLElement): HTMLElement {
  const id = newId();
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, title), content);
}

function outcomes(all: readonly Outcome[], schemas: Schemas): HTMLElement {
  const items = all.flatMap(({ status, description, schema }) => [
    h('dt', {}, status === 'default' ? 'other' : status),
    h('dd', {}, description, status.startsWith('2') && columns(schema, schemas)),
  ]);
  return h('dl', { class: 'outcomes' }, ...items);
}

/** The columns of the rows of a response; of each form, where there are several. */
function columns(schema: Outcome['schema'], schemas: Schemas): HTMLElement | undefined {
  const { schema: whole } = schemas.plain(schema);
  const row = whole.items ?? whole.properties?.['rows']?.items ?? whole;
  const { schema: one } = schemas.plain(row);
  const forms = (one.anyOf ?? one.oneOf ?? [one]).map((form) => schemas.plain(form).schema);
  const lists = forms.flatMap(({ properties }) => {
    if (properties === undefined) return [];
    const items = Object.entries(properties).map(([name, property]) => {
      const { nullable } = schemas.plain(property);
      const label = `${schemas.label(property)}${nullable ? ', may be null' : ''}`;
      return h('li', {}, h('code', {}, name), ' ', h('span', { class: 'type' }, label));
    });
    return [h('ul', { class: 'columns' }, ...items)];
  });
  return lists.length === 0 ? undefined : h('div', {}, ...lists);
}

const VERDICTS: Readonly<Record<string, string>> = {
  proved: 'PostgreSQL parses every statement that this script can render.',
  covered: 'PostgreSQL parses the statements of every pair of choices of this script.',
  open: 'No fault was found; what is listed cannot be decided.',
  broken: 'A branch of this script fails.',
  unproved: 'PostgreSQL was not asked yet about every statement of this script.',
};

function proofView({ verdict, findings, open, counts }: Proof): HTMLElement {
  const lines = (all: readonly Finding[]): HTMLElement[] =>
    all.map(({ text, when, place }) =>
      h(
        'li',
        {},
        text,
        place !== undefined && ` at ${place}`,
        when !== undefined && `, when ${when}`,
      ),
    );
  const items = [...lines(findings), ...lines(open)];
  return h(
    'div',
    {},
    h('p', {}, h('strong', { class: `verdict ${verdict}` }, verdict), ' ', VERDICTS[verdict] ?? ''),
    items.length > 0 && h('ul', {}, ...items),
    counts.length > 0 && h('p', { class: 'hint' }, counts.join(', ')),
  );
}
