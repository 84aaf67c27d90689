/** What a script uses of the body of a request, and which members, found by static analysis of its template. */
import { BODY_PREFIX, WHOLE_BODY, type BodyUse } from '../body/request-body.js';
import type { Head } from '../head/head.js';
import type { TemplateParameters } from '../../template/parameters.js';
import type { Verb } from '../verb.js';

export interface UsedBody {
  readonly use: BodyUse;
  /** The members that it looks up, and the objects that they are in, dotted; undefined where it may be any. */
  readonly members: ReadonlySet<string> | undefined;
}

const NO_MEMBERS: ReadonlySet<string> = new Set();
const NONE: UsedBody = { use: 'none', members: NO_MEMBERS };
/** Of a script that refuses unused parts of a body. */
const EMPTY: UsedBody = { use: 'members', members: NO_MEMBERS };

/**
 * usedBody also counts the parameters that the head declares. Reads have no body. `parametersOf` gives the parameters of
 * the text, and is called only for one that may use a body.
 */
export function usedBody(
  text: string,
  verb: Verb,
  { parameters, strict }: Head,
  parametersOf: () => TemplateParameters,
): UsedBody {
  if (verb === 'read') return NONE;
  const none = strict ? EMPTY : NONE;
  const hasPrefix = text.includes(BODY_PREFIX);
  if (!hasPrefix && !text.includes(WHOLE_BODY)) return none;
  const { list, open } = parametersOf();
  // A computed name (`print "body." .field`) may be any.
  if (open && hasPrefix) return { use: 'members', members: undefined };
  const names = list.map(({ name }) => name);
  const members = membersOf([...names, ...parameters.keys()]);
  if (members.size > 0) return { use: 'members', members };
  return names.includes(WHOLE_BODY) ? { use: 'text', members: NO_MEMBERS } : none;
}

/** membersOf gives the members among some names, without the prefix, and the objects that these are in. */
export function membersOf(names: readonly string[]): ReadonlySet<string> {
  const members = new Set<string>();
  for (const name of names.filter((one) => one.startsWith(BODY_PREFIX))) {
    const member = name.slice(BODY_PREFIX.length);
    for (let dot = member.indexOf('.'); dot !== -1; dot = member.indexOf('.', dot + 1))
      members.add(member.slice(0, dot));
    members.add(member);
  }
  return members;
}
