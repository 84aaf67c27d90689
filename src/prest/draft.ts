/**
 * What becomes of a configuration of pREST: the settings to be written, the variables to be set instead of secrets that
 * came from variables, and a line for each key. No line holds a secret.
 */
import { KEYS, variableOf, type KeyName } from '../config/schema.js';
import type { Environment, Given } from './source.js';

/** What can become of something. */
export type Kind =
  /** It is as it was. */
  | 'taken'
  /** It is as it was, under another name. */
  | 'renamed'
  /** It means something else here, or is something else unless it is set. */
  | 'differs'
  /** It has no effect, here or there. */
  | 'unused'
  /** It is lost, and somebody has to look after it. */
  | 'unsupported';

/** Finding is one line: what became of a key, a variable, a table or a script. */
export interface Finding {
  readonly kind: Kind;
  readonly subject: string;
  readonly message: string;
}

/** A variable to be set for this service, and where its value is to be found. */
export interface Variable {
  readonly name: string;
  readonly from: string;
}

/** Draft is a configuration in the making. */
export class Draft {
  readonly settings = new Map<KeyName, unknown>();
  readonly variables: Variable[] = [];
  readonly findings: Finding[] = [];
  /** What has to be put right before there is anything to write. */
  readonly problems: string[] = [];
  readonly #values = new Map<string, string>();
  readonly #places = new Map<KeyName, string>();

  /** environment is what the service is to find in its environment: for a check, never to be shown. */
  get environment(): Environment {
    return Object.fromEntries(this.#values);
  }

  /** place is what said the value of a key, as the user knows it. */
  place(name: KeyName): string | undefined {
    return this.#places.get(name);
  }

  /** add adds a line. */
  add(kind: Kind, subject: string, message: string): void {
    this.findings.push({ kind, subject, message });
  }

  /** take takes a value over; `say` is what there is to say about it. */
  take(name: KeyName, value: unknown, { at, inFile }: Given, say?: string): void {
    this.#places.set(name, at);
    if (!inFile && KEYS[name].secret) {
      const variable = variableOf(name);
      this.require(variable, at, String(value));
      this.add(
        'renamed',
        at,
        `set ${variable} to its value; a secret of a variable is not written`,
      );
      return;
    }
    this.settings.set(name, value);
    const what = say === undefined ? shown(name, value) : `${shown(name, value)}: ${say}`;
    this.add(say === undefined ? 'taken' : 'differs', at, inFile ? what : `${name} ${what}`);
  }

  /** write sets a key that pREST was told nothing of. */
  write(name: KeyName, value: unknown, say: string): void {
    this.settings.set(name, value);
    this.add('differs', name, `${shown(name, value)} is written, for it is not set: ${say}`);
  }

  /** require says that a variable has to be set, to a value that stands at `from`. */
  require(name: string, from: string, value: string): void {
    if (name !== from) this.variables.push({ name, from });
    this.#values.set(name, value);
  }
}

/** A value for people. */
function shown(name: KeyName, value: unknown): string {
  if (KEYS[name].secret) return '= (secret)';
  if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
    return `= ${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  return `= ${JSON.stringify(value)}`;
}
