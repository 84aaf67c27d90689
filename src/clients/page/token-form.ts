/** The field for a token, which stays in this tab. */
import type { Client } from './client.js';
import { button, h, newId } from './dom.js';

/** tokenForm calls `changed` when there is another token, or none any more. */
export function tokenForm(client: Client, changed: () => void): HTMLElement {
  const input = h('input', {
    id: newId(),
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const state = h('span', { class: 'hint', role: 'status' });
  const forget = button('Forget', () => use(''));
  const use = (token: string): void => {
    client.use(token);
    input.value = '';
    show();
    if (token === '') input.focus();
    changed();
  };
  const show = (): void => {
    forget.hidden = !client.hasToken;
    input.placeholder = client.hasToken ? 'in use' : 'none';
    state.textContent = client.hasToken ? 'A token is in use.' : '';
  };
  const form = h(
    'form',
    { class: 'token', 'aria-label': 'Access' },
    h('label', { for: input.id }, 'Token'),
    input,
    h('button', { type: 'submit' }, 'Use'),
    forget,
    h('span', { class: 'unseen' }, state),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = input.value.trim().replace(/^Bearer\s+/i, '');
    if (token !== '') use(token);
  });
  show();
  return form;
}
