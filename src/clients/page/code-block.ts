/** A text in a fixed font, with a button that copies it. */
import { button, h } from './dom.js';

/** codeBlock shows what `text` gives; `refresh` shows it again. */
export function codeBlock(label: string, text: () => string): HTMLElement & { refresh(): void } {
  const code = h('code');
  const copy = button(
    'Copy',
    () => {
      void copyText(text()).then((done) => {
        copy.textContent = done ? 'Copied' : 'Select the text and copy it';
        setTimeout(() => (copy.textContent = 'Copy'), 2_000);
      });
    },
    { class: 'quiet', 'aria-live': 'polite' },
  );
  const block = h(
    'div',
    { class: 'block' },
    h('pre', { tabindex: 0, role: 'region', 'aria-label': label }, code),
    copy,
  );
  const refresh = (): void => {
    code.textContent = text();
  };
  refresh();
  return Object.assign(block, { refresh });
}

/** Pages without TLS from another machine have no clipboard. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
