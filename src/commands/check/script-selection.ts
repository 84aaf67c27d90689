/**
 * The script that `check --script` names: `<folder>/<script>` as in paths, with the alias of a database before it, a verb
 * after it, or as the file.
 */
import { relative, resolve } from 'node:path';
import { nearest } from '../../base/nearest.js';
import { VERBS, type Verb } from '../../script/verb.js';
import { quoted } from '../line/printable.js';
import { CommandError } from '../line/session.js';

/** A text of a script; `alias` is set for a stored script for one database. */
export interface NamedText {
  readonly alias?: string | undefined;
  readonly folder: string;
  readonly name: string;
  readonly verb: Verb;
}

const FORM = new RegExp(
  `^(?:([^/]+)/)?([^/]+)/([^/.]+)(?:[.](${VERBS.join('|')})(?:[.]sql)?| [(](${VERBS.join('|')})[)])?$`,
);

export class ScriptSelection {
  /** As typed, or relative to the directory of scripts. */
  readonly text: string;
  readonly alias: string | undefined;
  readonly #script: string;
  readonly #verb: string | undefined;

  /** `location` is the directory of scripts; a relative path in `text` starts at `cwd`. */
  constructor(text: string, location: string, cwd: string) {
    const inside = relative(location, resolve(cwd, text));
    this.text = inside.startsWith('..') || inside === '' ? text : inside;
    const [, alias, folder, name, verb, stored] = FORM.exec(this.text) ?? [];
    this.alias = alias;
    this.#script = folder === undefined ? this.text : `${folder}/${name}`;
    this.#verb = verb ?? stored;
  }

  has({ alias, folder, name, verb }: NamedText): boolean {
    if (this.alias !== undefined && alias !== undefined && alias !== this.alias) return false;
    if (this.#verb !== undefined && this.#verb !== verb) return false;
    return this.#script === `${folder}/${name}`;
  }

  /** hasFile tells it for a file, or a text of the table as `[alias/]folder/name (verb)`. */
  hasFile(file: string): boolean {
    if (file === this.text) return true;
    const [, alias, folder, name, verb, stored] = FORM.exec(file) ?? [];
    if (folder === undefined || name === undefined) return false;
    const known = (verb ?? stored) as Verb | undefined;
    return this.has({ alias, folder, name, verb: known ?? (this.#verb as Verb) });
  }

  /** nearest is the name of the text that was most likely meant, or undefined. */
  nearest(texts: readonly NamedText[]): string | undefined {
    const names = texts.map(({ folder, name, verb }) =>
      this.#verb === undefined ? `${folder}/${name}` : `${folder}/${name}.${verb}`,
    );
    const wanted = this.#verb === undefined ? this.#script : `${this.#script}.${this.#verb}`;
    return names.length === 0 ? undefined : nearest(wanted, names);
  }
}

/** requireScript throws CommandError when neither a script nor a problem is about what was selected. */
export function requireScript(
  selection: ScriptSelection,
  scripts: readonly NamedText[],
  problems: readonly { readonly file: string }[],
  aliases: readonly string[],
): void {
  const { alias, text } = selection;
  if (alias !== undefined && !aliases.includes(alias))
    throw new CommandError(
      `no database has the alias ${quoted(alias)}; the nearest is ${quoted(nearest(alias, aliases))}`,
    );
  if (problems.length > 0 || scripts.some((one) => selection.has(one))) return;
  const close = selection.nearest(scripts);
  const hint = close === undefined ? 'there are none' : `the nearest is ${quoted(close)}`;
  throw new CommandError(`there is no script ${quoted(text)}; ${hint}`);
}
