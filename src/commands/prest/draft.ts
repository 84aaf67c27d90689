/**
 * The result of a conversion while it is made: the settings to write, the variables to set instead of secrets from
 * variables, and a finding for each key. No finding contains a secret.
 */
import { KEYS, variableOf, type KeyName } from '../config/schema.js';
import type { Environment, GivenValue } from './source.js';

export type FindingKind =
  /** Converted without a change. */
  | 'taken'
  /** Converted, under another name. */
  | 'renamed'
  /** It has another meaning or another default here. */
  | 'differs'
  /** It has no effect, here or in pREST. */
  | 'unused'
  /** It is lost, and needs attention. */
  | 'unsupported';

/** The result for a key, a variable, a table or a script. */
export interface Finding {
  readonly kind: FindingKind;
  readonly subject: string;
  readonly message: string;
}

/** A variable to set for this service, and where its value is now. */
export interface Variable {
  readonly name: string;
  readonly from: string;
}

export class Draft {
  readonly settings = new Map<KeyName, unknown>();
  readonly variables: Variable[] = [];
  readonly findings: Finding[] = [];
  /** Errors that must be fixed before anything is written. */
  readonly problems: string[] = [];
  readonly taken = this.#reporter('taken');
  readonly renamed = this.#reporter('renamed');
  readonly differs = this.#reporter('differs');
  readonly unused = this.#reporter('unused');
  readonly unsupported = this.#reporter('unsupported');
  readonly #values = new Map<string, string>();
  readonly #sources = new Map<KeyName, string>();

  /** The environment that the service will have, for a check; it contains secrets. */
  get environment(): Environment {
    return Object.fromEntries(this.#values);
  }

  /** sourceOf returns the key or variable of pREST that set a key. */
  sourceOf(name: KeyName): string | undefined {
    return this.#sources.get(name);
  }

  /** set sets a key to a converted value; `note` explains a difference. */
  set(name: KeyName, value: unknown, { at, inFile }: GivenValue, note?: string): void {
    this.#sources.set(name, at);
    if (!inFile && KEYS[name].secret) {
      const variable = variableOf(name);
      this.requireVariable(variable, at, String(value));
      this.renamed(at, `set ${variable} to its value; a secret of a variable is not written`);
      return;
    }
    this.settings.set(name, value);
    const text = valueText(name, value) + (note === undefined ? '' : `: ${note}`);
    this[note === undefined ? 'taken' : 'differs'](at, inFile ? text : `${name} ${text}`);
  }

  /** setDefault sets a key that is not set for pREST. */
  setDefault(name: KeyName, value: unknown, note: string): void {
    this.settings.set(name, value);
    this.differs(name, `${valueText(name, value)} is written, for it is not set: ${note}`);
  }

  /** requireVariable adds a variable to set, to the value that is now in `from`. */
  requireVariable(name: string, from: string, value: string): void {
    if (name !== from) this.variables.push({ name, from });
    this.#values.set(name, value);
  }

  #reporter(kind: FindingKind): (subject: string, message: string) => void {
    return (subject, message) => this.findings.push({ kind, subject, message });
  }
}

function valueText(name: KeyName, value: unknown): string {
  if (KEYS[name].secret) return '= (secret)';
  if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
    return `= ${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  return `= ${JSON.stringify(value)}`;
}
