/** What a script uses of the body of a request, and which members, found by static analysis of its template. */
import { BODY_PREFIX, WHOLE_BODY, type BodyUse } from '../body/request-body.js';
import type { Head } from '../head/head.js';
import { parametersOf } from '../template/parameters.js';
import type { Template } from '../template/template.js';
import type { Verb } from './verb.js';

/** bodyUse also counts the parameters that the head declares. Reads have no body. */
export function bodyUse({ text, name }: Template, verb: Verb, { parameters }: Head): BodyUse {
  if (verb === 'read') return 'none';
  for (const declared of parameters.keys()) if (declared.startsWith(BODY_PREFIX)) return 'members';
  if (!text.includes(BODY_PREFIX) && !text.includes(WHOLE_BODY)) return 'none';
  const { list, open } = parametersOf(text, name);
  // A computed name (`print "body." .field`) may be any.
  if (open && text.includes(BODY_PREFIX)) return 'members';
  if (list.some((parameter) => parameter.name.startsWith(BODY_PREFIX))) return 'members';
  return list.some((parameter) => parameter.name === WHOLE_BODY) ? 'text' : 'none';
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * memberNames lists the members of a body that a script looks up, and the objects that they are in, dotted; undefined where
 * it may be any.
 */
export function memberNames(
  { text, name }: Template,
  use: BodyUse,
  { parameters }: Head,
): ReadonlySet<string> | undefined {
  if (use !== 'members') return NO_NAMES;
  const { list, open } = parametersOf(text, name);
  if (open && text.includes(BODY_PREFIX)) return undefined;
  const names = new Set<string>();
  for (const key of [...list.map((parameter) => parameter.name), ...parameters.keys()]) {
    if (!key.startsWith(BODY_PREFIX)) continue;
    const member = key.slice(BODY_PREFIX.length);
    for (let dot = member.indexOf('.'); dot !== -1; dot = member.indexOf('.', dot + 1))
      names.add(member.slice(0, dot));
    names.add(member);
  }
  return names;
}
