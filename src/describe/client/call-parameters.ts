/**
 * The one argument of a function: parameters of the path and the query by their names, `headers` and `body` for the rest.
 * A parameter that is called like one of these two, or like a member that every object has, gets an underscore more.
 */
import { sortedBy } from '../../base/text.js';
import type { ClientBody, ClientOperation, ClientParameter } from './client-operation.js';
import { isTaken } from './names.js';
import { commentLines, literal } from './source-text.js';
import { indented, type TypeText } from './type-text.js';

/** A parameter, and the member of the argument that has its value. */
export interface Member {
  readonly property: string;
  readonly parameter: ClientParameter;
}

/** How the body is sent. */
type BodyForm = 'json' | 'text' | 'bytes';

export class CallParameters {
  readonly #path: readonly Member[];
  readonly #query: readonly Member[];
  readonly #headers: readonly Member[];
  readonly #body: ClientBody | undefined;

  constructor({ parameters, body }: Pick<ClientOperation, 'parameters' | 'body'>) {
    const used = new Set(['body', 'headers']);
    const sorted = sortedBy(parameters, ({ name }) => name);
    const at = (place: ClientParameter['place'], taken: Set<string>): Member[] =>
      sorted
        .filter((parameter) => parameter.place === place)
        .map((parameter) => ({ property: propertyOf(parameter.name, taken), parameter }));
    this.#path = at('path', used);
    this.#query = at('query', used);
    this.#headers = at('header', new Set());
    this.#body = body;
  }

  get isEmpty(): boolean {
    return (
      this.#path.length + this.#query.length + this.#headers.length === 0 &&
      this.#body === undefined
    );
  }

  /** Whether a call needs the argument. */
  get isRequired(): boolean {
    const all = [...this.#path, ...this.#query, ...this.#headers];
    return all.some(({ parameter }) => parameter.required) || this.#body?.required === true;
  }

  /** find gives the parameter of the path or the query with that name, with its member. */
  find(name: string): Member | undefined {
    return [...this.#path, ...this.#query].find(({ parameter }) => parameter.name === name);
  }

  /** typeMembers writes the members of the argument's type; `body` is the type of a JSON body. */
  typeMembers(types: TypeText, body: string): string[] {
    const lines = [...this.#path, ...this.#query].flatMap((member) => memberOf(types, member));
    if (this.#headers.length > 0) {
      const required = this.#headers.some(({ parameter }) => parameter.required);
      const members = this.#headers.flatMap((member) => memberOf(types, member));
      const type = ['{', ...indented(members), '}'].join('\n');
      lines.push(
        ...`headers${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'};`.split('\n'),
      );
    }
    if (this.#body !== undefined) lines.push(...this.#bodyMember(this.#body, body));
    return lines;
  }

  #bodyMember({ required, files }: ClientBody, body: string): string[] {
    const form = this.#bodyForm();
    const types = form === 'json' ? [body] : [form === 'text' ? 'string' : 'Bytes'];
    if (files) types.push('FormData');
    const type = types.includes('unknown') ? 'unknown' : types.join(' | ');
    return [
      ...commentLines([files ? 'Files are sent as FormData.' : undefined]),
      required ? `body: ${type};` : `body?: ${type} | undefined;`,
    ];
  }

  #bodyForm(): BodyForm {
    const content = this.#body?.content ?? {};
    if (content['text/plain'] !== undefined) return 'text';
    return content['application/json'] === undefined ? 'bytes' : 'json';
  }

  /** path writes the path with the names of members. */
  path(path: string): string {
    const properties = new Map(
      this.#path.map(({ property, parameter }) => [parameter.name, property]),
    );
    return literal(
      path.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
        const property = properties.get(name);
        return property === undefined ? whole : `{${property}}`;
      }),
    );
  }

  /** sent writes what is sent besides the path; undefined when that is nothing. */
  sent(): string | undefined {
    const parts: string[] = [];
    if (this.#query.length > 0) parts.push(`query: ${namesOf(this.#query)}`);
    if (this.#headers.length > 0) parts.push(`headers: ${namesOf(this.#headers)}`);
    if (this.#body !== undefined) parts.push(`body: ${literal(this.#bodyForm())}`);
    return parts.length === 0 ? undefined : `{ ${parts.join(', ')} }`;
  }
}

function propertyOf(name: string, used: Set<string>): string {
  let property = isTaken(name) ? `${name}_` : name;
  while (used.has(property)) property += '_';
  used.add(property);
  return property;
}

function memberOf(types: TypeText, { property, parameter }: Member): string[] {
  const { schema, required, description, place } = parameter;
  // One value may be sent without a list around it.
  const one = place === 'query' && schema['type'] === 'array' ? schema['items'] : undefined;
  const type = one === undefined ? schema : { ...schema, anyOf: [one, { ...schema }] };
  return types.member(property, type, required, description);
}

/** A name alone where the member is called like the parameter. */
function namesOf(members: readonly Member[]): string {
  const names = members.map(({ property, parameter: { name } }) =>
    property === name ? literal(name) : `[${literal(property)}, ${literal(name)}]`,
  );
  return `[${names.join(', ')}]`;
}
