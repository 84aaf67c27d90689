/** A change of a contract, and whether requests or programs that worked before may fail because of it. */
import type { Verb } from '../../script/verb.js';

export type ChangeKind =
  | 'script removed'
  | 'script added'
  | 'path removed'
  | 'path added'
  | 'method removed'
  | 'method added'
  | 'deprecated'
  | 'verdict'
  | 'strict'
  | 'shape'
  | 'status'
  | 'header removed'
  | 'header added'
  | 'parameter removed'
  | 'parameter added'
  | 'parameter required'
  | 'parameter type'
  | 'parameter list'
  | 'parameter values'
  | 'parameter bounds'
  | 'parameter default'
  | 'column removed'
  | 'column added'
  | 'column type'
  | 'column nullable'
  | 'column always'
  | 'columns unknown';

export interface Change {
  /** `[alias/]folder/name`. */
  readonly script: string;
  readonly verb: Verb;
  readonly breaking: boolean;
  readonly kind: ChangeKind;
  /** The parameter, column, header, path; empty when it is about the script. */
  readonly name: string;
  /** Says all, without the script. */
  readonly message: string;
}

/** Changes collects the changes of one script. */
export class Changes {
  readonly list: Change[] = [];
  readonly #script: string;
  readonly #verb: Verb;

  constructor({ script, verb }: Pick<Change, 'script' | 'verb'>) {
    this.#script = script;
    this.#verb = verb;
  }

  breaking(kind: ChangeKind, name: string, message: string): void {
    this.add(true, kind, name, message);
  }

  compatible(kind: ChangeKind, name: string, message: string): void {
    this.add(false, kind, name, message);
  }

  add(breaking: boolean, kind: ChangeKind, name: string, message: string): void {
    const [script, verb] = [this.#script, this.#verb];
    this.list.push({ script, verb, breaking, kind, name, message });
  }
}

/** byName pairs the items of two lists that have the same name; items of the new list alone are last. */
export function byName<T extends { readonly name: string }>(
  old: readonly T[],
  now: readonly T[],
): (readonly [old: T | undefined, now: T | undefined])[] {
  const names = new Set([...old, ...now].map(({ name }) => name));
  const find = (items: readonly T[], name: string): T | undefined =>
    items.find((item) => item.name === name);
  return [...names].map((name) => [find(old, name), find(now, name)] as const);
}

/** typesText: `integer or text`. */
export function typesText(types: readonly string[]): string {
  return types.join(' or ');
}
