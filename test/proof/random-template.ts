/** Random templates over the whole range of the template language, with the heads of scripts. */
import type { Verb } from '#app/script/verb.js';
import type { Random } from '../../bench/random.js';

export interface RandomScript {
  readonly text: string;
  readonly verb: Verb;
  /** The parameters that the text may use. */
  readonly keys: readonly string[];
}

const SCALARS = ['a', 'b', 'c', 'k'];
const LISTS = ['ids', 'tags'];
const NUMBERS = ['n', 'page', '_page', '_page_size'];
const MEMBERS = ['body.m', 'body.o.p', 'body.list'];
const HEADERS = ['header.X-Foo', 'header.Accept', 'header.X-Api-Key', 'header.Host'];
const CLAIMS = ['claims.sub', 'claims.roles'];

export const CONSTANTS = ['x', 'y', 'm', '10', ''];
export const SEPARATORS = [',', '-', '..'];

const CHUNKS = [
  ' WHERE a = ', ' AND ', ' OR ', ', ', 'SELECT ', ' FROM t', '\n', " '", "' ", ' ORDER BY ', '(', ')', ' -- c\n', ' /* d */ ',
  '1', ' "n" ', ' IN ', ' LIMIT ', ' ; ', ' t.', '::int ', ' = ', ' || ', 'x ', ' $$ ', " E'a' ", ' LIKE ', '%', ' é ', '{', ' 7300001 ', ' slot_1 ',
]; // prettier-ignore

const DECLARED = [
  'text', 'text maxlength=9', 'integer', 'integer min=1', 'bigint', 'enum(x, y)', 'enum(x)', 'boolean', 'uuid', 'date', 'numeric', 'json',
  'text[]', 'integer[]', 'enum(x, y, z)[]', 'enum(x)[]', 'text pattern=[a-z0-9,;.]*',
]; // prettier-ignore

const DEFAULTS: Readonly<Record<string, string>> = {
  text: 'd',
  integer: '3',
  bigint: '4',
  enum: 'x',
  boolean: 'true',
  date: '2000-01-01',
  numeric: '5',
};

/** What is visible where an action stands. */
interface Scope {
  readonly depth: number;
  /** Whether the dot is that of the request. */
  readonly dot: boolean;
  /** Whether `$` is. */
  readonly root: boolean;
  readonly variables: readonly string[];
  readonly loop: boolean;
  /** Templates that may be called. */
  readonly callable: readonly string[];
}

export function randomScript(random: Random): RandomScript {
  return new Writer(random).script();
}

class Writer {
  readonly #random: Random;
  readonly #keys: string[];
  readonly #verb: Verb;
  #actions = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#verb = this.#chance(0.7) ? 'read' : this.#one(['write', 'update', 'delete']);
    const pool = [...SCALARS, ...LISTS, ...NUMBERS, ...HEADERS, ...CLAIMS];
    if (this.#verb !== 'read') pool.push(...MEMBERS, 'request.body');
    const count = 1 + this.#below(4);
    this.#keys = Array.from({ length: count }, () => this.#one(pool));
  }

  script(): RandomScript {
    const head = this.#chance(0.35) ? this.#head() : '';
    const scope = { depth: 0, dot: true, root: true, variables: [], loop: false };
    const defined = this.#chance(0.15) ? ['part'] : [];
    const body = defined.map((name) => {
      const inner = { ...scope, depth: 1, dot: this.#chance(0.7), root: this.#chance(0.8) };
      return `{{define "${name}"}}${this.#block({ ...inner, callable: [] })}{{end}}`;
    });
    const text = head + body.join('') + this.#block({ ...scope, callable: defined });
    return { text, verb: this.#verb, keys: [...new Set(this.#keys)] };
  }

  #head(): string {
    const lines = new Map<string, string>();
    for (const key of this.#keys) {
      if (/^(?:claims\.|_page)/.test(key) || key === 'header.Host' || this.#chance(0.4)) continue;
      const [type = '', ...bounds] = this.#one(DECLARED).split(/(?= (?!y|z))/);
      const name = /^[a-z]+/.exec(type)![0];
      const fallback = DEFAULTS[name];
      const more = this.#chance(0.25)
        ? ' required'
        : fallback !== undefined && this.#chance(0.35) ? ` = ${fallback}` : ''; // prettier-ignore
      lines.set(key, `-- @param ${key} ${type}${bounds.join('')}${more}\n`);
    }
    return [...lines.values()].join('');
  }

  #block(scope: Scope): string {
    let text = this.#chance(0.8) ? this.#one(CHUNKS) : '';
    const variables = [...scope.variables];
    const count = 1 + this.#below(scope.depth === 0 ? 4 : 2);
    for (let i = 0; i < count; i++) {
      text += this.#action({ ...scope, variables }, variables);
      if (this.#chance(0.8)) text += this.#one(CHUNKS);
    }
    return text;
  }

  #action(scope: Scope, declared: string[]): string {
    const deeper = scope.depth < 3 && this.#actions++ < 14;
    const inner = { ...scope, depth: scope.depth + 1 };
    switch (this.#below(deeper ? 17 : 9)) {
      case 0:
      case 1:
        return `{{${this.#value(scope)}}}`;
      case 2:
        return `{{sqlVal ${this.#name()}}}`;
      case 3:
        return `{{sqlList ${this.#name()}}}`;
      case 4:
        return this.#chance(0.5)
          ? `{{inFormat ${this.#name()}}}`
          : `{{limitOffset ${this.#number(scope)} ${this.#number(scope)}}}`;
      case 5:
        return `{{ident ${this.#name()}}}`;
      case 6:
        return `{{defaultOrValue ${this.#name()} "${this.#one(CONSTANTS)}"}}`;
      case 7: {
        const [variable] = scope.variables;
        if (variable !== undefined && this.#chance(0.5))
          return `{{${this.#one(scope.variables)} = ${this.#value(scope)}}}`;
        const fresh = `$v${declared.length}`;
        const text = `{{${fresh} := ${this.#value(scope)}}}`;
        declared.push(fresh);
        return text;
      }
      case 8:
        if (scope.loop && this.#chance(0.7)) return this.#one(['{{break}}', '{{continue}}']);
        if (scope.callable.length === 0) return `{{${this.#value(scope)}}}`;
        return `{{template "${this.#one(scope.callable)}" ${this.#chance(0.6) ? '$' : this.#value(scope)}}}`;
      case 9:
      case 10:
      case 11:
      case 12: {
        let text = `{{if ${this.#condition(scope, 0)}}}${this.#block(inner)}`;
        while (this.#chance(0.25))
          text += `{{else if ${this.#condition(scope, 0)}}}${this.#block(inner)}`;
        if (this.#chance(0.4)) text += `{{else}}${this.#block(inner)}`;
        return `${text}{{end}}`;
      }
      case 13: {
        const isNamed = this.#chance(0.4);
        const variables = isNamed ? [...scope.variables, '$w'] : scope.variables;
        const body = this.#block({ ...inner, dot: false, variables });
        const other = this.#chance(0.4) ? `{{else}}${this.#block(inner)}` : '';
        return `{{with ${isNamed ? '$w := ' : ''}${this.#value(scope)}}}${body}${other}{{end}}`;
      }
      case 14:
      case 15: {
        const names = this.#one([[], ['$e'], ['$i', '$e']]);
        const variables = [...scope.variables, ...names];
        const body = this.#block({ ...inner, dot: false, variables, loop: true });
        const other = this.#chance(0.3) ? `{{else}}${this.#block(inner)}` : '';
        const head = names.length > 0 ? `${names.join(', ')} := ` : '';
        return `{{range ${head}${this.#list(scope)}}}${body}${other}{{end}}`;
      }
      default:
        return `{{block "b${this.#actions}" ${this.#chance(0.7) ? '$' : this.#value(scope)}}}${this.#block({ ...inner, variables: [], loop: false })}{{end}}`;
    }
  }

  #condition(scope: Scope, depth: number): string {
    const nested = () => `(${this.#condition(scope, depth + 1)})`;
    switch (this.#below(depth < 2 ? 12 : 8)) {
      case 0:
      case 1:
        return this.#value(scope);
      case 2:
        return `isSet ${this.#name()}`;
      case 3:
      case 4: {
        const constants = Array.from({ length: 1 + this.#below(2) }, () => this.#constant());
        return `eq ${this.#operand(scope)} ${constants.join(' ')}`;
      }
      case 5:
        return `ne ${this.#operand(scope)} ${this.#constant()}`;
      case 6:
        return this.#chance(0.4)
          ? `${this.#one(['eq', 'ne', 'lt', 'ge'])} ${this.#operand(scope)} ${this.#operand(scope)}`
          : `${this.#one(['lt', 'le', 'gt', 'ge'])} ${this.#operand(scope)} ${this.#constant()}`;
      case 7:
        return `${this.#one(['gt', 'eq', 'lt', 'ge'])} (len ${this.#list(scope)}) ${this.#below(3)}`;
      case 8:
      case 9:
        return `not ${nested()}`;
      default:
        return `${this.#one(['and', 'or'])} ${nested()} ${nested()}`;
    }
  }

  /** An expression that may have arguments. */
  #value(scope: Scope): string {
    switch (this.#below(20)) {
      case 0:
        return `defaultOrValue ${this.#name()} "${this.#one(CONSTANTS)}"`;
      case 1:
        return `print "p" ${this.#operand(scope)}`;
      case 2:
        return `printf "%s-%v" ${this.#operand(scope)} ${this.#operand(scope)}`;
      case 3:
        return `index ${this.#list(scope)} ${this.#below(2)}`;
      case 4:
        return this.#one([
          `unEscape ${this.#operand(scope)}`,
          `html ${this.#operand(scope)}`,
          `js ${this.#operand(scope)}`,
          `urlquery ${this.#operand(scope)}`,
          `println ${this.#operand(scope)}`,
          `${this.#operand(scope)} | printf "%q"`,
        ]);
      case 5:
        return this.#one([
          `slice ${this.#list(scope)} 1`,
          `slice ${this.#operand(scope)} 0 1`,
          `len ${this.#list(scope)}`,
        ]);
      case 6:
        return `or ${this.#operand(scope)} ${this.#constant()}`;
      case 7:
        return `and ${this.#operand(scope)} ${this.#operand(scope)}`;
      default:
        return this.#operand(scope);
    }
  }

  #operand(scope: Scope): string {
    if (scope.variables.length > 0 && this.#chance(0.35)) return this.#one(scope.variables);
    if (!scope.dot && this.#chance(0.5)) return '.';
    return this.#field(scope, this.#one(this.#keys));
  }

  #list(scope: Scope): string {
    if (this.#chance(0.25)) return `(split ${this.#operand(scope)} "${this.#one(SEPARATORS)}")`;
    if (this.#chance(0.01)) return scope.root ? '$.header' : '.';
    const lists = this.#keys.filter((key) => LISTS.includes(key) || key === 'body.list');
    if (lists.length > 0 && this.#chance(0.7)) return this.#field(scope, this.#one(lists));
    return this.#operand(scope);
  }

  #number(scope: Scope): string {
    const numbers = this.#keys.filter((key) => NUMBERS.includes(key));
    if (this.#chance(0.3)) return String(1 + this.#below(20));
    if (numbers.length > 0 && this.#chance(0.9)) return this.#field(scope, this.#one(numbers));
    return this.#operand(scope);
  }

  #field({ dot, root }: Scope, key: string): string {
    const base = root && (!dot || this.#chance(0.2)) ? '$' : dot ? '' : root ? '$' : '';
    const whole = base === '' ? '.' : '$';
    if (key.startsWith('claims.')) return `${base}.a`;
    if (key.startsWith('header.')) return `(index ${base}.header "${key.slice(7)}")`;
    return /^\w+$/.test(key) ? `${base}.${key}` : `(index ${whole} "${key}")`;
  }

  /** The name of a parameter, as an argument. */
  #name(): string {
    const key = this.#one(this.#keys);
    if (this.#chance(0.04)) return `(print "${key}" "")`;
    return this.#chance(0.01) ? `$.${SCALARS[0]}` : `"${key}"`;
  }

  #constant(): string {
    return `"${this.#one(CONSTANTS)}"`;
  }

  #chance(part: number): boolean {
    return this.#random.next() < part;
  }

  #below(count: number): number {
    return this.#random.between(0, count - 1);
  }

  #one<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }
}
