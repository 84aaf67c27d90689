/**
 * The public API of the proof without a database: `branchesOf(text, name)` gives each text that a script can render, with the
 * condition under which it does, and the requests for which it renders none. PostgreSQL is not asked about them.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../base/errors.js';
import { compileText } from '../script/script-text.js';
import type { Verb } from '../script/verb.js';
import { RefusedValue } from '../template/template.js';
import { whenText } from './branches/explanation.js';
import { explore, USUAL_BOUNDS, type Refusal } from './branches/exploration.js';
import type { Slots } from './branches/slots.js';

export type { Verb };

export interface Branch {
  /** With `‹name›` in place of the value of a parameter that is not bound. */
  readonly text: string;
  /** For each of $1, $2 …, the parameters whose values it may bind. */
  readonly bound: readonly (readonly string[])[];
  /** `types` is sent twice. */
  readonly when: string;
}

export interface Failure {
  /** With the line and column in the template, if it has a place there. */
  readonly message: string;
  /** Whether the request is answered with 400, and not with 500. */
  readonly refused: boolean;
  readonly when: string;
}

export interface TemplateBranches {
  readonly branches: readonly Branch[];
  readonly failures: readonly Failure[];
  /** Which combinations of parameters were tried: every one, every pair of values, or a part of the pairs. */
  readonly extent: 'all' | 'pairs' | 'part';
  /** What the template depends on that was not tried. */
  readonly open: readonly string[];
}

/**
 * branchesOf renders for at most about `time` ms. Rejects with an Error, whose message has the place, for a text that cannot be
 * used.
 */
export async function branchesOf(
  text: string,
  name: string,
  { verb = 'read', time = 10_000 }: { readonly verb?: Verb; readonly time?: number } = {},
): Promise<TemplateBranches> {
  const script = compileText(text, name, verb);
  if (script instanceof ServiceError)
    throw new Error(script.detail ?? script.message, { cause: script });
  const end = performance.now() + time;
  const isOver = (part: number): boolean => performance.now() >= end - time * (1 - part);
  const explored = await explore(script, { ...USUAL_BOUNDS, isOver });
  const { shapes, refused, failed, slots, extent, open } = explored;

  const branches = grouped(shapes, ({ rendered }) => shownText(rendered.text, slots));
  const failures = grouped([...refused, ...failed], ({ error }) => messageOf(error));
  const paths = [
    ...branches.map(([, same]) => same.flatMap((shape) => shape.paths)),
    ...failures.map(([, same]) => same.map(({ path }) => path)),
  ];
  const whens = paths.map((own, i) => whenText(own, paths.toSpliced(i, 1).flat()));
  return {
    branches: branches.map(([text, same], i) => ({
      text,
      bound: same[0]!.bound.map((_, n) => union(same.map(({ bound }) => bound[n]!))),
      when: whens[i]!,
    })),
    failures: failures.map(([message, [first]], i) => ({
      message,
      refused: refused.includes(first!),
      when: whens[branches.length + i]!,
    })),
    extent,
    open,
  };
}

/** A text with `‹name›` for each value that the template only passes on. */
function shownText(text: string, slots: Slots): string {
  let shown = '';
  let copied = 0;
  for (const { start, end } of slots.in(text)) {
    const [key = '…'] = slots.keysIn(text.slice(start, end)); // without one: all parameters
    shown += `${text.slice(copied, start)}‹${key}›`;
    copied = end;
  }
  return shown + text.slice(copied);
}

function messageOf(error: Refusal['error']): string {
  return error instanceof RefusedValue ? error.message : error.safeMessage;
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups];
}

function union(sets: readonly ReadonlySet<string>[]): string[] {
  return [...new Set(sets.flatMap((set) => [...set]))];
}
