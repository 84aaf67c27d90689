/**
 * The text of a script on its way to a template, wherever it was kept: what is refused, and how that stands in the log.
 */
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { compile, TemplateError, type Template } from '../template/template.js';
import { scriptNotUsable } from './script-error.js';
import type { Verb } from './verb.js';

/** Largest script text, bytes. */
export const MAX_SIZE = 1 << 20;

/** What a text was compiled into: a template, or the answer for whoever asks for it. */
export type Compiled = Template | ServiceError;

/** compileText compiles a text of at most MAX_SIZE; `script` is `<folder>/<name>`. */
export function compileText(text: string, script: string): Compiled {
  if (text.includes('\0')) return scriptNotUsable(script, 'the text has a NUL character');
  try {
    return compile(text, script);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return scriptNotUsable(script, error.safeMessage, error);
  }
}

/** warnUnusable logs why a script's text cannot be used; `more` says which script it is, beside its path. */
export function warnUnusable(
  log: Logger,
  script: string,
  verb: Verb,
  error: ServiceError,
  more: Readonly<Record<string, string>> = {},
): void {
  const place =
    error.cause instanceof TemplateError
      ? `${script}:${error.cause.line}:${error.cause.column}`
      : script;
  log.warn({ script, ...more, verb, position: place }, error.detail ?? error.message);
}
