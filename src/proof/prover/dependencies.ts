/**
 * What a text depends on in the catalogs, by name: the relations, functions and types that its statements use, those below
 * views too, and every word of its text. With the words, an object counts that would hide another one, or be preferred to
 * a function of PostgreSQL.
 */
import { createHash } from 'node:crypto';
import type { NamedObjects } from '../branches/named-objects.js';
import type { StatementUses } from '../branches/statement-uses.js';

/** A word of SQL that can be a name. */
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/gu;

/** A text between double quotes, which can be a name with any characters. */
const QUOTED = /"((?:[^"]|"")+)"/g;

/** wordsOf gives the words of a text that can be names, as PostgreSQL may read them. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    words.add(word);
    words.add(word.toLowerCase());
  }
  for (const [, name] of text.matchAll(QUOTED)) words.add(name!.replaceAll('""', '"'));
  return words;
}

/** namesUsed lists the names of what statements use, sorted. */
export function namesUsed({
  relations,
  functions,
  objects,
}: Pick<StatementUses, 'relations' | 'functions' | 'objects'>): string[] {
  const names = new Set([...relations, ...functions].map(({ name }) => name));
  for (const { identity } of objects) for (const part of partsOf(identity)) names.add(part);
  return [...names].sort();
}

/** A part of an identity, such as `public.item`, `public.item.id` or `public."Item"`. */
const PART = /^(?:"((?:[^"]|"")*)"|([^".(\s]+))(?:\.|$|(?=[(\s[]))/;

/** The parts of an identity as pg_identify_object writes it; one of them is the name of a relation, function or type. */
function partsOf(identity: string): string[] {
  const parts: string[] = [];
  let rest = identity;
  for (let found = PART.exec(rest); found !== null; found = PART.exec(rest)) {
    const [whole, quoted, plain] = found;
    parts.push(quoted?.replaceAll('""', '"') ?? plain!);
    rest = rest.slice(whole.length);
  }
  return parts;
}

/** dependencyDigest changes with every object that has one of the names. */
export function dependencyDigest(names: ReadonlySet<string>, objects: NamedObjects): string {
  const hash = createHash('sha256');
  for (const name of [...names].sort()) {
    const labels = objects.get(name);
    if (labels === undefined) continue;
    for (const [label, digest] of [...labels].sort()) hash.update(`${label} ${digest}\n`);
  }
  return hash.digest('base64url');
}
