/** Light or dark: as the system has it, or as chosen here, which this browser remembers. */
import { h, newId } from './dom.js';

const THEME = 'sql-rest-service theme';
const THEMES = ['system', 'light', 'dark'];

export function themeChoice(): HTMLElement {
  const select = h('select', { id: newId() }, ...THEMES.map((name) => h('option', {}, name)));
  const kept = localStorage.getItem(THEME);
  select.value = kept !== null && THEMES.includes(kept) ? kept : 'system';
  const apply = (): void => {
    document.documentElement.dataset['theme'] = select.value;
  };
  select.addEventListener('change', () => {
    localStorage.setItem(THEME, select.value);
    apply();
  });
  apply();
  return h('div', { class: 'choice' }, h('label', { for: select.id }, 'Theme'), select);
}
