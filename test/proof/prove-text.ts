/** The proof of a text of a script. */
import { ServiceError } from '#app/base/errors.js';
import { Slices } from '#app/base/slices.js';
import type { Bounds } from '#app/proof/branches/exploration.js';
import { prove, type Proof } from '#app/proof/branches/proof.js';
import type { Describe } from '#app/proof/branches/statement-check.js';
import { compileText, type ScriptText } from '#app/script/script-text.js';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import type { Verb } from '#app/script/verb.js';

export const BOUNDS: Bounds = { paths: 4_096, shapes: 512, pairs: 4_096, isOver: () => false };

/** Work in one slice: how often the time is looked at does not depend on the machine. */
export class OneSlice extends Slices {
  override next(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

const STATEMENTS = new StatementBuilder(jsonFrame('json_agg', 32 << 20));

/** compiled throws the error of a text that is no template. */
export function compiled(text: string, verb: Verb = 'read'): ScriptText {
  const script = compileText(text, 'folder/script', verb);
  if (script instanceof ServiceError) throw script;
  return script;
}

export function proveText(
  text: string,
  verb: Verb,
  describe: Describe,
  tables: readonly string[] = [],
): Promise<Proof> {
  const session = { script: 'folder/script', statements: STATEMENTS, describe, tables };
  return prove(compiled(text, verb), session, BOUNDS);
}
