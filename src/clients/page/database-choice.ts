/** The database whose scripts are listed, which is a part of the page's address: `?database=`. */
import type { Access } from './access.js';
import { h, newId } from './dom.js';

const NAME = 'database';

/** chosenDatabase is the alias in the address; empty for the default database. */
export function chosenDatabase(): string {
  return new URLSearchParams(location.search).get(NAME) ?? '';
}

export class DatabaseChoice {
  readonly element: HTMLElement;
  readonly #select = h('select', { id: newId() });
  readonly #status = h('span', { role: 'status', class: 'unseen' });
  #default = '';

  /** `changed` is called when another database was chosen, which the address has then. */
  constructor(changed: () => void) {
    this.#select.addEventListener('change', () => {
      const { value } = this.#select;
      const address = new URL(location.href);
      if (value === this.#default) address.searchParams.delete(NAME);
      else address.searchParams.set(NAME, value);
      history.pushState(null, '', address);
      changed();
    });
    const label = h('label', { for: this.#select.id }, 'Database');
    this.element = h('div', { class: 'choice', hidden: true }, label, this.#select, this.#status);
  }

  /** show lists what may be chosen, if that is more than one database. */
  show(access: Access): void {
    this.#default = access.default;
    const chosen = chosenDatabase() || access.default;
    // The one in the address is there whatever it is, or the list would name another one.
    const all = [...new Set([...access.databases, chosen])];
    this.#select.replaceChildren(...all.map((alias) => h('option', {}, alias)));
    this.#select.value = chosen;
    this.element.hidden = all.length < 2;
  }

  /** announce tells screen readers the new list after another database was chosen. */
  announce(scripts: number): void {
    this.#status.textContent = `${scripts} scripts of ${this.#select.value}`;
  }
}
