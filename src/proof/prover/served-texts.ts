/** The texts of scripts that are to be proved, wherever they are kept. */
import { ServiceError } from '../../base/errors.js';
import { textHash } from '../../messages/proof-cache.js';
import type { Compiled } from '../../script/script-text.js';
import type { Verb } from '../../script/verb.js';

export interface ServedText {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  /** The database of a stored script of its own; undefined for a script that is for all databases. */
  readonly own: string | undefined;
  /** The same object as long as the text is the same; the error for requests when it cannot be used. */
  readonly compiled: Compiled;
}

/** All texts at one time. */
export interface ServedTexts {
  readonly texts: readonly ServedText[];
  /** `alias/folder/script` of each script of a database of its own: there it hides the one for all databases. */
  readonly own: ReadonlySet<string>;
}

export interface TextSource {
  /** read gives the texts, the same object when nothing has changed; undefined while they cannot be read. */
  read(): Promise<ServedTexts | undefined>;
  /** Why they could not be read. */
  readonly unreadable: string | undefined;
  /** How long reading took, ms: it is repeated the less often. */
  readonly took: number;
}

/** hashOf gives what ServedProof.text has; for a text that cannot be used a hash of the reason. */
export function hashOf(compiled: Compiled): string {
  const text =
    compiled instanceof ServiceError
      ? `\0${compiled.detail ?? compiled.message}`
      : compiled.template.text;
  return textHash(text);
}
