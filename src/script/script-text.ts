/** Compiles the text of a script, from a file or the table. */
import { ServiceError } from '../errors.js';
import { HeadError, type Head } from '../head/head.js';
import { parseHead } from '../head/parse-head.js';
import { compile, TemplateError, type Template } from '../template/template.js';
import { scriptNotUsable } from './script-error.js';
import { methodsOf, type Verb } from './verb.js';

/** Largest script text, bytes. */
export const MAX_SIZE = 1 << 20;

/** The text of a script for one verb, compiled. */
export interface ScriptText {
  readonly verb: Verb;
  readonly template: Template;
  readonly head: Head;
}

/** A compiled text, or the error for requests. */
export type Compiled = ScriptText | ServiceError;

/** compileText compiles a text of at most MAX_SIZE; `script` is `<folder>/<name>`. */
export function compileText(text: string, script: string, verb: Verb): Compiled {
  if (text.includes('\0')) return scriptNotUsable(script, 'the text has a NUL character');
  try {
    const template = compile(text, script);
    return { verb, template, head: parseHead(text, methodsOf(verb)) };
  } catch (error) {
    if (error instanceof HeadError)
      return scriptNotUsable(script, `line ${error.line}: ${error.message}`, error);
    if (!(error instanceof TemplateError)) throw error;
    return scriptNotUsable(script, error.safeMessage, error);
  }
}
