/**
 * From what a source has written to values: a URL taken apart into the keys it sets, everything checked and converted,
 * paths made absolute. What is refused is reported and left out.
 */
import { parseDatabaseUrl } from './database-url.js';
import { resolve } from 'node:path';
import type { Issues } from './kind.js';
import { KEYS, type KeyName } from './schema.js';
import type { Entries } from './sources.js';

/** Values settled so far, by key. */
export type SomeValues = Partial<Record<KeyName, unknown>>;

/** checkedValues gives the values of what is written in one place; a URL wins over the keys beside it. */
export function checkedValues(written: Entries, issues: Issues): SomeValues {
  const values: SomeValues = {};
  for (const [name, { value, at, base }] of expandUrl(written, issues)) {
    const { kind } = KEYS[name];
    const read = kind.read(value, at, issues);
    values[name] = read !== undefined && kind.isPath?.(read) ? resolve(base, read as string) : read;
  }
  return values;
}

/** Adds the keys that `pg.url` names, in the place of those that are there. */
function expandUrl(written: Entries, issues: Issues): Entries {
  const entries = new Map(written);
  const entry = entries.get('pg.url');
  if (entry === undefined || typeof entry.value !== 'string') return entries;
  const parts = parseDatabaseUrl(entry.value);
  if (typeof parts === 'string') {
    issues.errors.push(`${entry.at}: ${parts}`);
    entries.delete('pg.url');
    return entries;
  }
  for (const [name, value] of parts) {
    const own = entries.get(name);
    if (own !== undefined) issues.warnings.push(`${own.at}: ignored, ${entry.at} names it too`);
    entries.set(name, { value, at: `${entry.at}, ${name} in it`, base: entry.base });
  }
  return entries;
}
