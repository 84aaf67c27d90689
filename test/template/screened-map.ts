/** Data of a request for tests: a TemplateMap whose values are checked by the real screen. */
import { screen } from '#app/native/screen.js';
import { Refused, type TemplateMap } from '#app/template/template.js';

type Sent = Readonly<Record<string, string | readonly string[]>>;

const check = (key: string, value: string) => (screen(value) ? value : new Refused(key));

/** ScreenedMap is the data that the service passes to a template, without defaults. */
export class ScreenedMap implements TemplateMap {
  readonly screened = true;
  readonly #sent: ReadonlyMap<string, string | readonly string[]>;
  readonly #header: ReadonlyMap<string, string>;

  constructor(sent: Sent, header: Readonly<Record<string, string>> = {}) {
    this.#sent = new Map(Object.entries(sent));
    this.#header = new Map(Object.entries(header));
  }

  get(key: string): unknown {
    if (key === 'header') return this.#header;
    const value = this.#sent.get(key);
    if (value === undefined || typeof value === 'string')
      return value === undefined ? undefined : check(key, value);
    return value.map((item) => check(key, item));
  }

  keys(): Iterable<string> {
    return ['header', ...this.#sent.keys()];
  }

  raw(key: string): unknown {
    return this.#sent.get(key);
  }

  isSent(key: string): boolean {
    return this.#sent.has(key);
  }

  screen(text: string): boolean {
    return screen(text);
  }
}
