/** The tables of docs/configuration.md, made from the table of keys that values are checked by. */
import type { Key } from './key.js';
import { KEYS, NAMES, variableOf, type KeyName } from './schema.js';
import type { TablesKind } from './tables.js';

const HEADING = '## Keys\n';

/** withKeys gives the document with the keys of today in its last section; the text before them stays. */
export function withKeys(document: string): string {
  const parts = [document.slice(0, document.indexOf(HEADING)) + HEADING];
  const sections = new Map<string, KeyName[]>();
  for (const name of NAMES) {
    const dot = name.indexOf('.');
    const section = dot < 0 ? '' : name.slice(0, dot);
    sections.set(section, [...(sections.get(section) ?? []), name]);
  }
  for (const [section, names] of sections) {
    parts.push(`### ${section === '' ? 'Without a section' : `\`[${section}]\``}\n`);
    parts.push('| key | type | default | allowed | meaning |\n|---|---|---|---|---|');
    for (const name of names) parts.push(row(name, KEYS[name]));
    parts.push('');
    for (const name of names) {
      if (KEYS[name].kind.name === 'tables') parts.push(fieldsOf(name));
    }
  }
  return `${parts.join('\n').trimEnd()}\n`;
}

function row(name: KeyName, key: Key<unknown>): string {
  const notes = [
    key.meaning,
    key.alias === undefined ? '' : `Also written \`${key.alias}\`.`,
    key.secret
      ? `Secret: set it as \`${variableOf(name)}\` or in a file that others cannot read.`
      : '',
  ];
  const meaning = notes.filter((note) => note !== '').join(' ');
  return `| \`${name}\` | ${key.kind.name} | ${key.shown} | ${key.kind.allowed} | ${meaning} |`;
}

function fieldsOf(name: KeyName): string {
  const { fields } = KEYS[name].kind as TablesKind;
  const items = Object.entries(fields).map(
    ([field, { kind, required, meaning }]) =>
      `- \`${field}\`${required ? ' (required)' : ''}: ${kind.allowed}. ${meaning}`,
  );
  return `\`[[${name}]]\` has\n\n${items.join('\n')}\n`;
}
