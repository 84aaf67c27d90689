/**
 * Finds the script of a path among the routes that scripts declare. Segments are compared decoded; literal text wins over a
 * parameter, from left to right, and where that way leads to no script for the method, the next one is tried.
 */
import { ServiceError } from '../../../base/errors.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { RouteScript, ScriptRoute } from '../../../messages/tasks.js';

/** A path found; `values` has the raw segments of its parameters, by name. */
export interface RouteMatch {
  readonly script: RouteScript;
  /** What its requests are counted under. */
  readonly name: RouteMetrics;
  readonly values: readonly (readonly [name: string, raw: string])[];
}

/** A path found, but for other methods. */
export interface OtherMethods {
  readonly methods: readonly string[];
  readonly scripts: readonly RouteScript[];
}

interface Target {
  /** Undefined: several scripts declare it. */
  readonly script: RouteScript | undefined;
  readonly name: RouteMetrics;
  readonly names: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  /** By method; undefined where no path ends. */
  targets: Map<string, Target> | undefined;
}

/** In the order of Allow headers. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export class RouteTrie {
  readonly #root: Node = node();
  #depth = 0;

  constructor(routes: readonly ScriptRoute[]) {
    for (const route of routes) this.#add(route);
  }

  /**
   * find gives the script for a method; undefined when no script has the path, or several have. `raw` are the segments as
   * sent. Throws ServiceError `invalid_path` when the value of a parameter is not UTF-8, or has a NUL.
   */
  find(method: string, raw: readonly string[]): RouteMatch | OtherMethods | undefined {
    if (raw.length > this.#depth) return undefined;
    const found = new Search(method, raw.map(decoded));
    const target = found.run(this.#root);
    if (target === undefined) return found.otherMethods();
    const { script, names, name } = target;
    if (script === undefined) return undefined;
    const values = found.parameters.map((at, i): [string, string] => [names[i]!, raw[at]!]);
    if (found.parameters.some((at) => isInvalid(found.segments[at])))
      throw new ServiceError('invalid_path');
    return { script, name, values };
  }

  #add({ methods, segments, script }: ScriptRoute): void {
    this.#depth = Math.max(this.#depth, segments.length);
    let at = this.#root;
    const names: string[] = [];
    for (const segment of segments) {
      if (typeof segment === 'string') {
        let next = at.literals.get(segment);
        if (next === undefined) at.literals.set(segment, (next = node()));
        at = next;
      } else {
        names.push(segment.parameter);
        at = at.parameter ??= node();
      }
    }
    at.targets ??= new Map();
    const name = new RouteMetrics(undefined, patternOf(segments));
    for (const method of methods) at.targets.set(method, { script, name, names });
  }
}

class Search {
  readonly #method: string;
  /** Undefined where a segment is not UTF-8. */
  readonly segments: readonly (string | undefined)[];
  /** Indexes of the segments that are values of parameters. */
  readonly parameters: number[] = [];
  /** The ends of the path without a target for the method. */
  readonly #others: Map<string, Target>[] = [];

  constructor(method: string, segments: readonly (string | undefined)[]) {
    this.#method = method;
    this.segments = segments;
  }

  run(from: Node, at = 0): Target | undefined {
    if (at === this.segments.length) {
      const target = from.targets?.get(this.#method);
      if (target === undefined && from.targets !== undefined) this.#others.push(from.targets);
      return target;
    }
    const segment = this.segments[at];
    const literal = segment === undefined ? undefined : from.literals.get(segment);
    const target = literal && this.run(literal, at + 1);
    if (target !== undefined || from.parameter === undefined || segment === '') return target;
    this.parameters.push(at);
    const found = this.run(from.parameter, at + 1);
    if (found === undefined) this.parameters.pop();
    return found;
  }

  otherMethods(): OtherMethods | undefined {
    const targets = this.#others.flatMap((one) => [...one]);
    const served = new Map<string, RouteScript>();
    for (const [method, { script }] of targets)
      if (script !== undefined && !served.has(method)) served.set(method, script);
    if (served.size === 0) return undefined;
    const methods = METHODS.filter((method) => served.has(method));
    return { methods, scripts: [...new Set(served.values())] };
  }
}

/** The path as scripts declare it. */
function patternOf(segments: ScriptRoute['segments']): string {
  return segments
    .map((one) => (typeof one === 'string' ? `/${one}` : `/{${one.parameter}}`))
    .join('');
}

function node(): Node {
  return { literals: new Map(), parameter: undefined, targets: undefined };
}

/** Undefined when it is not UTF-8. Raw bytes that are not arrive as U+FFFD. */
function decoded(segment: string): string | undefined {
  if (segment.includes('\uFFFD')) return undefined;
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function isInvalid(value: string | undefined): boolean {
  return value === undefined || value.includes('\0');
}
