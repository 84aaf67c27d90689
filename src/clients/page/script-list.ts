/** The list of operations by folder, with a search. */
import { h, newId } from './dom.js';
import { matches, type Catalogue, type Operation } from './operations.js';
import { methodMark } from './operation-view.js';

export class ScriptList {
  readonly element: HTMLElement;
  readonly #search = h('input', { type: 'search', id: newId(), placeholder: 'Search  /', autocomplete: 'off', spellcheck: 'false' }); // prettier-ignore
  readonly #found = h('p', { role: 'status', class: 'unseen' });
  readonly #list = h('div');
  readonly #links = new Map<string, HTMLAnchorElement>();
  #catalogue: Catalogue | undefined;
  #selected = '';

  constructor() {
    this.#search.addEventListener('input', () => this.#filter());
    this.#search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#visible()[0]?.click();
      else if (event.key === 'ArrowDown') this.#visible()[0]?.focus();
      else if (event.key === 'Escape') {
        this.#search.value = '';
        this.#filter();
      } else return;
      event.preventDefault();
    });
    this.#list.addEventListener('keydown', (event) => this.#move(event));
    this.element = h(
      'div',
      {},
      h('label', { for: this.#search.id, class: 'unseen' }, 'Search the scripts'),
      this.#search,
      this.#found,
      this.#list,
    );
  }

  show(catalogue: Catalogue): void {
    this.#catalogue = catalogue;
    this.#filter();
  }

  /** select marks the operation that is shown. */
  select(id: string): void {
    this.#links.get(this.#selected)?.removeAttribute('aria-current');
    this.#selected = id;
    this.#links.get(id)?.setAttribute('aria-current', 'page');
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  #filter(): void {
    const all = this.#catalogue?.operations ?? [];
    const search = this.#search.value.trim();
    const found = search === '' ? all : all.filter((one) => matches(one, search));
    this.#links.clear();
    const folders = new Map<string, Operation[]>();
    for (const one of found) {
      const folder = folders.get(one.folder);
      if (folder === undefined) folders.set(one.folder, [one]);
      else folder.push(one);
    }
    const parts = Array.from(folders, ([name, operations]) =>
      h('section', {}, h('h2', {}, name), h('ul', {}, ...operations.map((one) => this.#item(one)))),
    );
    this.#list.replaceChildren(...parts);
    this.#found.textContent = search === '' ? '' : `${found.length} found`;
    if (found.length === 0)
      this.#list.append(
        h('p', { class: 'empty' }, search === '' ? 'There are no scripts.' : 'Nothing found.'),
      );
    this.select(this.#selected);
  }

  #item({ id, method, name, summary, deprecated }: Operation): HTMLElement {
    const link = h(
      'a',
      { href: `#${encodeURI(id)}`, class: deprecated ? 'deprecated' : undefined },
      methodMark(method),
      h(
        'span',
        { class: 'name' },
        name,
        deprecated && h('span', { class: 'unseen' }, ' deprecated'),
      ),
      ' ',
      summary !== '' && h('span', { class: 'summary' }, summary),
    );
    this.#links.set(id, link);
    return h('li', {}, link);
  }

  #visible(): HTMLAnchorElement[] {
    return [...this.#links.values()];
  }

  /** Arrow keys move between links, and from the first one back to the search. */
  #move(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    const links = this.#visible();
    const at = links.findIndex((link) => link === document.activeElement);
    event.preventDefault();
    if (at === 0 && step === -1) this.#search.focus();
    else links[at + step]?.focus();
  }
}
