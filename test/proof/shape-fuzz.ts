/**
 * Random templates explored, and random requests for them rendered: each text is one of the shapes with the request's values
 * in its slots, and each error one of those that the exploration has. Each combination of the exploration is one of a request.
 */
import type { BodyValue } from '#app/script/body/request-body.js';
import { ServiceError } from '#app/base/errors.js';
import { explore, type Exploration } from '#app/proof/branches/exploration.js';
import { NO_ITEMS, type Path } from '#app/proof/branches/option.js';
import { checkParameters } from '#app/script/request/declared-parameters.js';
import { compileText, type ScriptText } from '#app/script/script-text.js';
import { UNSCREENED } from '#app/template/errors.js';
import { InvalidParameter, RefusedValue } from '#app/template/template.js';
import { Random } from '../../bench/random.js';
import { instancesOf } from './instances.js';
import { randomRequest } from './random-request.js';
import { randomScript } from './random-template.js';
import { answered, realRequest, type Answered, type Values } from './real-request.js';

export interface Fuzzed {
  readonly templates: number;
  /** Templates of which every shape is known. */
  readonly decided: number;
  readonly requests: number;
  readonly problems: readonly string[];
  /** How often each reason left a template undecided. */
  readonly reasons: ReadonlyMap<string, number>;
}

const REQUESTS = 8;
const PATHS = 40;
const BOUNDS = { paths: 1_000, shapes: 512, pairs: 200, isOver: () => false };
/** Most problems that are shown. */
const MOST = 20;

/** fuzzShapes tries so many templates from a seed on. */
export async function fuzzShapes(from: number, templates: number): Promise<Fuzzed> {
  const reasons = new Map<string, number>();
  const problems: string[] = [];
  let decided = 0;
  let requests = 0;
  let count = 0;
  for (let seed = from; count < templates; seed++) {
    const random = new Random(seed);
    const made = randomScript(random);
    const script = compileText(made.text, 'a/b', made.verb);
    if (script instanceof ServiceError) continue;
    count++;
    const exploration = await explore(script, BOUNDS);
    const { open, extent } = exploration;
    const add = (problem: string): void => {
      if (problems.length < MOST) problems.push(`seed ${seed}: ${problem}\n${made.text}`);
    };
    if (open.length > 0 || extent !== 'all') {
      const reason = extent === 'all' ? open[0]!.replace(/`.*?`/, '…') : extent;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      continue;
    }
    decided++;
    for (const problem of unreal(script, exploration)) add(problem);
    for (let i = 0; i < REQUESTS; i++) {
      const values = randomRequest(random, made.keys, script);
      const found = answer(script, values);
      if (found === undefined) continue;
      requests++;
      const problem = missed(found, values, exploration);
      if (problem !== undefined) add(`${problem} for ${JSON.stringify([...values])}`);
    }
  }
  return { templates: count, decided, requests, problems, reasons };
}

/** Undefined for a request that is not what the script declares. */
function answer(script: ScriptText, values: Values): Answered | undefined {
  const data = realRequest(values, script);
  try {
    checkParameters(script.head.parameters, data);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
  return answered(script, data);
}

/** What is wrong with the answer to a request. */
function missed(
  { text, error, at }: Answered,
  values: Values,
  { shapes, refused, failed, slots }: Exploration,
): string | undefined {
  if (error instanceof RefusedValue) return undefined; // of the screen, which slots pass
  if (error instanceof InvalidParameter) {
    const { parameter, expected } = error.invalid;
    if (expected === UNSCREENED) return undefined; // of the screen too
    // Lists are tried where a template uses them as such.
    if ([...values.values()].some(Array.isArray)) return undefined;
    const known = refused.some(
      (one) =>
        one.error instanceof InvalidParameter &&
        `${one.error.line}:${one.error.column}` === at &&
        one.error.invalid.parameter === parameter,
    );
    return known ? undefined : `not refused: ${error.message}`;
  }
  if (text === undefined) {
    const known = failed.some(
      ({ error }) => 'line' in error && `${error.line}:${error.column}` === at,
    );
    return known ? undefined : `does not fail: ${error!.message}`;
  }
  if (isListElsewhere(values, shapes)) return undefined;
  const known = shapes.some(({ rendered }) => instancesOf(rendered.text, slots, values).has(text));
  return known ? undefined : `no shape: ${JSON.stringify(text)}`;
}

/** Whether a list is empty whose parameter the template does not use as a list. */
function isListElsewhere(values: Values, shapes: Exploration['shapes']): boolean {
  const tried = new Set(
    shapes.flatMap(({ paths }) =>
      paths.flat().flatMap(({ key, option }) => (option.id === NO_ITEMS.id ? [key] : [])),
    ),
  );
  return [...values].some(
    ([key, value]) => Array.isArray(value) && value.length === 0 && !tried.has(key),
  );
}

/** The combinations of an exploration that no request has, or for which the engine does something else. */
function* unreal(script: ScriptText, exploration: Exploration): Generator<string> {
  const { shapes, refused, failed } = exploration;
  for (const { rendered, paths } of shapes.slice(0, PATHS)) {
    const found = answered(script, realRequest(valuesOf(paths[0]!), script));
    if (found.text !== worded(rendered.text))
      yield `${JSON.stringify(rendered.text)} is ${JSON.stringify(found.text ?? found.error?.message)} for ${shown(paths[0]!)}`;
  }
  for (const { path, error } of [...refused, ...failed].slice(0, PATHS)) {
    const found = answered(script, realRequest(valuesOf(path), script));
    const at = 'line' in error ? `${error.line}:${error.column}` : 'undefined:undefined';
    if (found.error?.name !== error.name || found.at !== at)
      yield `${error.message} is ${JSON.stringify(found.text ?? found.error?.message)} for ${shown(path)}`;
  }
}

/** Slots are refused by the screen, words are not. These come after all constants or before them, and are no identifiers. */
function worded(text: string): string {
  return text.replace(/(\u0001)?([\ue000-\uf8ff])/g, (_, low: string | undefined, slot: string) =>
    low === undefined ? `zq.${slot.charCodeAt(0)}` : ` .${slot.charCodeAt(0)}`,
  );
}

function valuesOf(path: Path): Values {
  const values = new Map<string, BodyValue>();
  for (const { key, option } of path) {
    const { raw } = option;
    if (raw === undefined) continue;
    if (raw === null) values.set(key, null);
    else
      values.set(key, typeof raw === 'string' ? worded(raw) : raw.map((one) => one && worded(one)));
  }
  return values;
}

function shown(path: Path): string {
  return path.map(({ key, option }) => `${key}: ${option.id}`).join(', ');
}
