/**
 * What to warn about in a script's text that can be used: for `check`, for the log when it is loaded, and for the answer
 * of the registry. Logs why a text cannot be used too.
 */
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { lineOf } from '../../base/position.js';
import { outlinesOf } from '../../template/outline.js';
import { headerWarning } from './header-warnings.js';
import { nameWarnings } from './name-warnings.js';
import { placeholderWarnings } from './placeholder-warnings.js';
import { scriptFailure } from '../script-error.js';
import type { Compiled, ScriptText } from '../script-text.js';
import { readThatWrites, writingWord } from '../statement/writing-read.js';
import type { Verb } from '../verb.js';

export interface TextWarning {
  /** From 1; missing for a warning about the whole text. */
  readonly line?: number;
  readonly message: string;
}

export function textWarnings({ verb, template, head }: ScriptText): readonly TextWarning[] {
  const { text, name } = template;
  const header = headerWarning(template);
  const outlines = outlinesOf(text, name);
  const placed = outlines.flatMap((outline) => [
    ...nameWarnings(outline),
    ...placeholderWarnings(outline),
  ]);
  const lines = placed
    .sort((a, b) => a.pos - b.pos)
    .slice(0, MOST)
    .map(({ pos, message }) => ({ line: lineOf(text, pos), message }));
  const writing = verb === 'read' ? writingWord(outlines[0]?.text ?? '') : undefined;
  return [
    ...head.warnings,
    ...(header === undefined ? [] : [{ message: header }]),
    ...(writing === undefined ? [] : [{ message: readThatWrites(writing) }]),
    ...distinct(lines),
  ];
}

/** Most warnings with a line; further ones of a long text say no more. */
const MOST = 20;

/** Warnings without those that repeat another one of the same line. */
function distinct(warnings: readonly Required<TextWarning>[]): readonly TextWarning[] {
  return [...new Map(warnings.map((one) => [`${one.line} ${one.message}`, one])).values()];
}

/** logCompiled logs why a text cannot be used, or its warnings; `more` identifies the script in addition to its path. */
export function logCompiled(
  log: Logger,
  script: string,
  verb: Verb,
  compiled: Compiled,
  more: Readonly<Record<string, string>> = {},
): void {
  if (compiled instanceof ServiceError) {
    warnUnusable(log, script, verb, compiled, more);
    return;
  }
  for (const { line, message } of textWarnings(compiled)) {
    const position = line === undefined ? {} : { position: `${script}:${line}` };
    log.warn({ script, ...more, verb, ...position }, message);
  }
}

/** warnUnusable logs why a text cannot be used; `more` identifies the script in addition to its path. */
export function warnUnusable(
  log: Logger,
  script: string,
  verb: Verb,
  error: ServiceError,
  more: Readonly<Record<string, string>> = {},
): void {
  const { position = script, safeMessage } = scriptFailure(script, error);
  log.warn({ script, ...more, verb, position }, safeMessage);
}
