/** The body of a request: a text that begins with an example of its schema, or a file. */
import { button, h, newId } from './dom.js';
import { isJson, type RequestBody } from './operations.js';
import type { PreparedBody } from './prepared-request.js';
import type { Schemas } from './schema.js';

export class BodyEditor {
  readonly element: HTMLElement;
  readonly #body: RequestBody;
  readonly #schemas: Schemas;
  readonly #type: HTMLSelectElement;
  readonly #text = h('textarea', { id: newId(), rows: 10, spellcheck: 'false', class: 'code' });
  readonly #file = h('input', { type: 'file', id: newId() });
  readonly #fault = h('p', { class: 'fault', id: newId() });

  constructor(body: RequestBody, schemas: Schemas, changed: () => void) {
    this.#body = body;
    this.#schemas = schemas;
    // A form with files has parts, which are no text; other types carry the same values.
    const all = [...body.content.keys()];
    const plain = all.filter((type) => !type.startsWith('multipart/'));
    const types = (plain.length === 0 ? all : plain).sort(
      (a, b) => Number(isJson(b)) - Number(isJson(a)),
    );
    this.#type = h('select', { id: newId() }, ...types.map((type) => h('option', {}, type)));
    this.#text.setAttribute('aria-describedby', this.#fault.id);
    const example = button('Example', () => {
      this.#fill();
      changed();
    });
    const textLabel = h('label', { for: this.#text.id }, 'Body');
    const fileLabel = h('label', { for: this.#file.id }, 'Body from a file');
    const text = h('div', {}, textLabel, this.#text, this.#fault, example);
    const file = h('div', {}, fileLabel, this.#file);
    const choose = (): void => {
      text.hidden = !this.#isText;
      file.hidden = this.#isText;
      if (this.#isText) this.#fill();
    };
    this.#type.addEventListener('change', choose);
    this.#text.addEventListener('input', () => this.#check());
    this.element = h(
      'div',
      { class: 'field' },
      h('label', { for: this.#type.id }, 'Content-Type ', body.required && REQUIRED()),
      this.#type,
      body.description !== '' && h('p', { class: 'hint' }, body.description),
      text,
      file,
    );
    choose();
  }

  /** content is undefined when there is no body. */
  content(): PreparedBody | undefined {
    const type = this.#type.value;
    const content = this.#isText ? this.#text.value : this.#file.files?.[0];
    return content === undefined || content === '' ? undefined : { type, content };
  }

  /** mark shows the error of the body; empty without one. */
  mark(fault: string): void {
    this.#fault.textContent = fault;
    this.#text.setAttribute('aria-invalid', String(fault !== ''));
  }

  get #isText(): boolean {
    const type = this.#type.value;
    return isJson(type) || /^text\/|xml|x-www-form-urlencoded/.test(type);
  }

  #fill(): void {
    const type = this.#type.value;
    const { schema, example } = this.#body.content.get(type) ?? { schema: {}, example: undefined };
    const value = example ?? this.#schemas.example(schema);
    if (isJson(type)) this.#text.value = JSON.stringify(value, null, 2);
    else if (typeof value === 'string') this.#text.value = value;
    else if (type.includes('urlencoded')) {
      const pairs = Object.entries(value as Record<string, unknown>);
      this.#text.value = new URLSearchParams(
        pairs.map(([name, one]) => [name, typeof one === 'string' ? one : JSON.stringify(one)]),
      ).toString();
    } else this.#text.value = '';
    this.#check();
  }

  #check(): void {
    let fault = '';
    if (isJson(this.#type.value) && this.#text.value !== '')
      try {
        JSON.parse(this.#text.value);
      } catch (error) {
        fault = `This is not JSON: ${(error as Error).message}`;
      }
    this.mark(fault);
  }
}

const REQUIRED = (): HTMLElement => h('strong', { class: 'required' }, 'required');
