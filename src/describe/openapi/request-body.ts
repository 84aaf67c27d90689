/**
 * The body of a request: its members as JSON, or as the fields of a form, or for a script that uses the body as a whole in
 * the type that it is bound with.
 */
import type { Input } from '../parameters.js';
import { inputSchema } from './input-schema.js';
import { ANY, described, type Schema } from './schema.js';

/** Schemas by media type. */
export interface RequestBody {
  readonly content: Readonly<Record<string, Schema>>;
  readonly required: boolean;
}

/** requestBody gives the body; undefined for a script that uses none. */
export function requestBody(inputs: readonly Input[]): RequestBody | undefined {
  const members = inputs.filter(({ place }) => place === 'body');
  const whole = inputs.find(({ place }) => place === 'whole body');
  if (members.length > 0) {
    const required = members.some((member) => member.required);
    return {
      required: required || whole?.required === true,
      content: {
        'application/json': jsonObject(members),
        'application/x-www-form-urlencoded': fields(members),
        'multipart/form-data': fields(members, true),
      },
    };
  }
  return whole && { required: whole.required, content: wholeContent(whole) };
}

function wholeContent(whole: Input): RequestBody['content'] {
  const { types, description } = whole;
  if (types.some((type) => type === 'json' || type === 'jsonb'))
    return { 'application/json': described(ANY, description) };
  if (types.includes('bytea'))
    return { 'application/octet-stream': described({ type: 'string' }, description) };
  return {
    'text/plain': inputSchema(whole, 'text', true),
    'application/json': described(ANY, description),
  };
}

/** An object that is being made; a member with members of its own is one too. */
interface Draft {
  readonly properties: Map<string, Schema | Draft>;
  readonly required: string[];
}

/** Dots lead into objects, unless there is a member that is no object by the name before them. */
function jsonObject(members: readonly Input[]): Schema {
  const root: Draft = { properties: new Map(), required: [] };
  const names = new Set(members.map(({ key }) => key));
  for (const member of members) {
    const parts = member.key.split('.');
    const inner = parts.map((_, i) => parts.slice(0, i).join('.')).slice(1);
    // An empty name, or a member that is a value: the dots are part of the name.
    if (parts.includes('') || inner.some((name) => names.has(name)))
      put(root, [member.key], member);
    else put(root, parts, member);
  }
  return objectOf(root);
}

function put(draft: Draft, [name = '', ...rest]: readonly string[], member: Input): void {
  if (member.required && !draft.required.includes(name)) draft.required.push(name);
  if (rest.length === 0) {
    draft.properties.set(name, inputSchema(member, 'json'));
    return;
  }
  let inner = draft.properties.get(name) as Draft | undefined;
  if (inner === undefined)
    draft.properties.set(name, (inner = { properties: new Map(), required: [] }));
  put(inner, rest, member);
}

function objectOf({ properties, required }: Draft): Schema {
  const isDraft = (one: Schema | Draft): one is Draft => one.properties instanceof Map;
  const entries = [...properties].map(([name, one]): [string, Schema] => [
    name,
    isDraft(one) ? objectOf(one) : one,
  ]);
  return object(Object.fromEntries(entries), required);
}

/** The fields of a form; with files, a file's field may be one of bytes, whose name and type are not sent as fields. */
function fields(members: readonly Input[], files = false): Schema {
  const bytes = new Set(members.filter(isBytes).map(({ key }) => key));
  const sent = files
    ? members.filter(({ key }) => !FILE_FACTS.some((fact) => isFactOf(key, fact, bytes)))
    : members;
  const properties = sent.map((member): [string, Schema] => [
    member.key,
    files && bytes.has(member.key) ? fileOf(member) : inputSchema(member, 'text'),
  ]);
  const required = sent.filter((member) => member.required).map(({ key }) => key);
  return object(Object.fromEntries(properties), required);
}

/** What the service adds to the member of a file. */
const FILE_FACTS: readonly string[] = ['.filename', '.type'];

function isFactOf(key: string, fact: string, files: ReadonlySet<string>): boolean {
  return key.endsWith(fact) && files.has(key.slice(0, -fact.length));
}

function isBytes({ types }: Input): boolean {
  return types.includes('bytea');
}

function fileOf({ description }: Input): Schema {
  return described({ type: 'string', contentMediaType: 'application/octet-stream' }, description);
}

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}
