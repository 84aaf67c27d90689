/**
 * Compiles the texts of a record, and words what is wrong with them for their author: an invalid template, or what the proof
 * of a text found.
 */
import { ServiceError } from '../../base/errors.js';
import { HeadError } from '../../script/head/head.js';
import type { Position } from '../../base/position.js';
import type { RecordedFinding } from '../../messages/proofs.js';
import { compileText, MAX_SIZE, type ScriptText } from '../../script/script-text.js';
import { VERBS, type Verb } from '../../script/verb.js';
import { TemplateError } from '../../template/template.js';
import type { RecordContent } from './records.js';

export type Texts = ReadonlyMap<Verb, ScriptText>;

export interface TemplatePlace {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly hint?: string | undefined;
  /** The condition under which it fails. */
  readonly when?: string | undefined;
}

/** TemplateRejected: a template cannot be used; status 400. Its message is for the author. */
export class TemplateRejected extends Error {
  override readonly name = 'TemplateRejected';
  /** An error code of src/base/errors.ts, or the SQLSTATE. */
  readonly code: string;
  readonly place: TemplatePlace;
  /** What proofs found, this first; none for an invalid template. */
  readonly findings: readonly VerbFinding[];

  constructor(
    message: string,
    code: string,
    place: TemplatePlace,
    findings: readonly VerbFinding[] = [],
  ) {
    super(message);
    this.code = code;
    this.place = place;
    this.findings = findings;
  }
}

/** A finding about the text for a verb. */
export interface VerbFinding extends RecordedFinding {
  readonly verb: Verb;
}

/** compileTexts compiles the texts of a script, `<folder>/<script>`. Throws TemplateRejected `invalid_template`. */
export function compileTexts(script: string, content: RecordContent): Texts {
  const texts = new Map<Verb, ScriptText>();
  for (const verb of VERBS) {
    const text = content[`${verb}_sql`] ?? '';
    if (text !== '') texts.set(verb, compileOne(script, verb, text));
  }
  return texts;
}

/** compileOne compiles one of them; it throws as compileTexts does. */
export function compileOne(script: string, verb: Verb, text: string): ScriptText {
  const reason = unusable(text);
  if (reason !== undefined)
    throw new TemplateRejected(`${verb}_sql: ${reason}`, INVALID, { script, verb });
  const compiled = compileText(text, script, verb);
  if (compiled instanceof ServiceError) throw rejectionOf(compiled.cause ?? compiled, script, verb);
  return compiled;
}

/** rejectionBy gives the rejection of a script by findings, of which the first one is its message. */
export function rejectionBy(
  script: string,
  findings: readonly [VerbFinding, ...VerbFinding[]],
): TemplateRejected {
  const [{ verb, message, code, hint, line, column, when }] = findings;
  const place = { script, verb, line, column, hint, when };
  if (/^[0-9A-Z]{5}$/.test(code)) return new TemplateRejected(message, code, place, findings); // PostgreSQL's
  const isTemplate = line !== undefined && TEMPLATE_CODES.has(code);
  const failed = isTemplate ? `could not render script ${script}:${line}:${column}: ` : '';
  const text = `${verb}_sql: ${failed}${message}`;
  return new TemplateRejected(text, isTemplate ? INVALID : code, place, findings);
}

/** What a request is answered with when the template fails. */
const TEMPLATE_CODES: ReadonlySet<string> = new Set(['script_not_usable', 'invalid_parameter']);

/** The code of a text that cannot be used. */
export const INVALID = 'invalid_template';

function unusable(text: string): string | undefined {
  if (Buffer.byteLength(text) > MAX_SIZE) return 'the text is larger than 1 MiB';
  return text.includes('\0') ? 'the text holds a NUL' : undefined;
}

/** The rejection for an error while a template was compiled. */
function rejectionOf(error: unknown, script: string, verb: Verb): unknown {
  const rejected = (message: string, code: string, position?: Position): TemplateRejected =>
    new TemplateRejected(`${verb}_sql: ${message}`, code, { script, verb, ...position });
  if (error instanceof TemplateError) {
    const { line, column, safeMessage } = error;
    const reason = safeMessage.replace(/^template: \S+ /, ''); // the position is in the message already
    const message = `could not parse script ${script}:${line}:${column}: ${reason}`;
    return rejected(message, INVALID, { line, column });
  }
  if (error instanceof HeadError) {
    const { line, message } = error;
    const reason = `could not parse script ${script}:${line}: ${message}`;
    return new TemplateRejected(`${verb}_sql: ${reason}`, INVALID, { script, verb, line });
  }
  if (error instanceof ServiceError) return rejected(error.detail ?? error.message, error.code);
  return error;
}
