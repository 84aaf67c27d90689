/** Compiles the text of a script, from a file or the table. */
import type { KnownMembers } from './body/json-document.js';
import { BODY_PREFIX, type BodyUse } from './body/request-body.js';
import { ServiceError } from '../base/errors.js';
import { HeadError, type Head } from './head/head.js';
import { parseHead, routesIn } from './head/parse-head.js';
import type { RoutePattern } from './head/route-pattern.js';
import { SCRIPT_LOADS } from '../observe/metrics/catalogue.js';
import { counts } from '../observe/metrics/thread.js';
import { parametersOf, type TemplateParameters } from '../template/parameters.js';
import { compile, TemplateError, type Template } from '../template/template.js';
import { membersOf, usedBody } from './request/body-use.js';
import { PARAMETER_DEFAULTS } from './request/request-data.js';
import { scriptNotUsable, sourceOf } from './script-error.js';
import { methodsOf, type Verb } from './verb.js';

/** Largest script text, bytes. */
export const MAX_SIZE = 1 << 20;

export interface ScriptText {
  readonly verb: Verb;
  readonly template: Template;
  readonly head: Head;
  readonly body: BodyUse;
  /** The members of a body that it looks up; undefined where it may be any. */
  readonly members: ReadonlySet<string> | undefined;
  /** The names that it knows; undefined unless it refuses others. */
  readonly known: KnownMembers | undefined;
}

export type Compiled = ScriptText | ServiceError;

/** routesOfText gives the paths that a text declares, also one that cannot be used: they are not to be 404. */
export function routesOfText(compiled: Compiled | undefined, verb: Verb): readonly RoutePattern[] {
  if (compiled === undefined) return [];
  if (!(compiled instanceof ServiceError)) return compiled.head.routes;
  return routesIn(sourceOf(compiled) ?? '', methodsOf(verb));
}

/** compileText compiles a text of at most MAX_SIZE; `script` is `<folder>/<name>`. */
export function compileText(text: string, script: string, verb: Verb): Compiled {
  const compiled = compileUncounted(text, script, verb);
  counts[compiled instanceof ServiceError ? SCRIPT_LOADS.broken : SCRIPT_LOADS.compiled]! += 1;
  return compiled;
}

function compileUncounted(text: string, script: string, verb: Verb): Compiled {
  if (text.includes('\0')) return scriptNotUsable(script, 'the text has a NUL character');
  try {
    const template = compile(text, script);
    const head = parseHead(text, methodsOf(verb), PARAMETER_DEFAULTS);
    let found: TemplateParameters | undefined; // the text is parsed again for them
    const parameters = (): TemplateParameters => (found ??= parametersOf(text, script));
    const known = head.strict ? knownTo(parameters(), head) : undefined;
    const { use, members } = usedBody(text, verb, head, parameters);
    return { verb, template, head, body: use, members, known };
  } catch (error) {
    if (error instanceof HeadError)
      return scriptNotUsable(script, `line ${error.line}: ${error.message}`, error);
    if (!(error instanceof TemplateError)) throw error;
    return scriptNotUsable(script, error.safeMessage, error);
  }
}

/** What a text uses or declares, objects with such members, and the parameters that every script has. */
function knownTo({ list }: TemplateParameters, { parameters, routes }: Head): KnownMembers {
  const used = list.map((parameter) => parameter.name);
  const inPaths = routes.flatMap(({ segments }) =>
    segments.flatMap((one) => (typeof one === 'string' ? [] : [one.parameter])),
  );
  const all = [...used, ...parameters.keys(), ...inPaths, ...PARAMETER_DEFAULTS.keys(), RENDERER];
  const members = [...membersOf(all)].map((name) => [BODY_PREFIX + name, false] as const);
  return new Map([...members, ...all.map((name) => [name, true] as const)]);
}

/** Selects the form of the response, of any script. */
const RENDERER = '_renderer';
