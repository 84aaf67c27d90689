/** Compiles the text of a script, from a file or the table, and logs why a text cannot be used. */
import type { BodyUse } from '../body/request-body.js';
import { ServiceError } from '../errors.js';
import { NO_HEAD, type Head } from '../head/head.js';
import type { Logger } from '../log.js';
import { compile, TemplateError, type Template } from '../template/template.js';
import { bodyUse } from './body-use.js';
import { scriptNotUsable } from './script-error.js';
import type { Verb } from './verb.js';

/** Largest script text, bytes. */
export const MAX_SIZE = 1 << 20;

/** The text of a script for one verb, compiled. */
export interface ScriptText {
  readonly verb: Verb;
  readonly template: Template;
  readonly head: Head;
  readonly body: BodyUse;
}

/** A compiled text, or the error for requests. */
export type Compiled = ScriptText | ServiceError;

/** compileText compiles a text of at most MAX_SIZE; `script` is `<folder>/<name>`. */
export function compileText(text: string, script: string, verb: Verb): Compiled {
  if (text.includes('\0')) return scriptNotUsable(script, 'the text has a NUL character');
  try {
    const template = compile(text, script);
    const head = NO_HEAD;
    return { verb, template, head, body: bodyUse(template, verb, head) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return scriptNotUsable(script, error.safeMessage, error);
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
  const place =
    error.cause instanceof TemplateError
      ? `${script}:${error.cause.line}:${error.cause.column}`
      : script;
  log.warn({ script, ...more, verb, position: place }, error.detail ?? error.message);
}
