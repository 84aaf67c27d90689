/**
 * What to warn about in a script's text that can be used: for `check`, for the log when it is loaded, and for the answer
 * of the registry. Logs why a text cannot be used too.
 */
import { ServiceError } from '../errors.js';
import { HeadError } from '../head/head.js';
import type { Logger } from '../log.js';
import { TemplateError } from '../template/template.js';
import { headerWarning } from './header-warnings.js';
import type { Compiled, ScriptText } from './script-text.js';
import type { Verb } from './verb.js';

export interface TextWarning {
  /** From 1; missing for a warning about the whole text. */
  readonly line?: number;
  readonly message: string;
}

/** textWarnings lists the warnings about a text. */
export function textWarnings({ template, head }: ScriptText): readonly TextWarning[] {
  const header = headerWarning(template);
  return header === undefined ? head.warnings : [...head.warnings, { message: header }];
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
  const { cause, detail, message } = error;
  let position = script;
  if (cause instanceof TemplateError) position += `:${cause.line}:${cause.column}`;
  else if (cause instanceof HeadError) position += `:${cause.line}`;
  log.warn({ script, ...more, verb, position }, detail ?? message);
}
