/** Tabs as screen readers know them: arrow keys move between them, one of them is in the tab order. */
import { h, newId } from './dom.js';

export interface Tab {
  readonly name: string;
  /** Called when the tab is first shown. */
  readonly content: () => HTMLElement;
}

/** tabs shows the tab `selected`, by default the first. */
export function tabs(label: string, all: readonly Tab[], selected = 0): HTMLElement {
  const list = h('div', { role: 'tablist', 'aria-label': label });
  const panel = h('div', { role: 'tabpanel', id: newId(), tabindex: 0 });
  const made: (HTMLElement | undefined)[] = [];
  const heads = all.map(({ name }, i) => {
    const head = h('button', { type: 'button', role: 'tab', id: newId(), 'aria-controls': panel.id }, name); // prettier-ignore
    head.addEventListener('click', () => select(i));
    list.append(head);
    return head;
  });
  const select = (chosen: number): void => {
    heads.forEach((head, i) => {
      head.setAttribute('aria-selected', String(i === chosen));
      head.tabIndex = i === chosen ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', heads[chosen]!.id);
    panel.replaceChildren((made[chosen] ??= all[chosen]!.content()));
  };
  list.addEventListener('keydown', (event) => {
    const current = heads.findIndex((head) => head === document.activeElement);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: current + 1,
      ArrowLeft: current - 1 + heads.length,
      Home: 0,
      End: heads.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select(step % heads.length);
    heads[step % heads.length]!.focus();
  });
  select(selected);
  return h('div', { class: 'tabs' }, list, panel);
}
