/**
 * Converts the entries of one source to checked values: a URL is split into the keys it sets, paths become absolute. Invalid
 * values are reported and left out.
 */
import { parseDatabaseUrl } from './database-url.js';
import { resolve } from 'node:path';
import type { Issues } from './kind.js';
import { KEYS, type KeyName } from './schema.js';
import type { Entries } from './sources.js';

export type CheckedValues = Partial<Record<KeyName, unknown>>;

/** checkedValues converts entries; the parts of a URL take precedence over the keys beside it. */
export function checkedValues(written: Entries, issues: Issues): CheckedValues {
  const values: CheckedValues = {};
  for (const [name, { value, at, base }] of expandUrl(written, issues)) {
    const { kind } = KEYS[name];
    const read = kind.read(value, at, issues);
    values[name] = read !== undefined && kind.isPath?.(read) ? resolve(base, read as string) : read;
    if (name === 'pg.replicas' && read !== undefined)
      values[name] = checkedReplicas(read as readonly string[], at, base, issues);
  }
  return values;
}

/** Most replicas of a database. */
const MOST_REPLICAS = 16;

function checkedReplicas(
  urls: readonly string[],
  at: string,
  base: string,
  issues: Issues,
): readonly CheckedValues[] {
  if (urls.length > MOST_REPLICAS)
    issues.errors.push(`${at}: found ${urls.length} replicas; allowed: at most ${MOST_REPLICAS}`);
  return urls.map((value, i) => {
    const place = `${at}[${i}]`;
    const before = issues.errors.length;
    const { 'pg.url': url, ...keys } = checkedValues(
      new Map([['pg.url', { value, at: place, base }]]),
      issues,
    );
    if (url !== undefined && keys['pg.host'] === undefined && issues.errors.length === before)
      issues.errors.push(`${place}: it names no host`);
    return keys;
  });
}

/** Adds the keys that `pg.url` sets, replacing entries of the same keys. */
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
