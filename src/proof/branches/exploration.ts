/**
 * Explores a script's template: renders it with every combination of what a request may have, or with every pair where
 * that would be too many. The engine is the one that serves requests. What it renders, each text once, are the shapes of the
 * script; combinations for which it fails are refusals when a request would be answered 400, and failures otherwise.
 */
import type { ScriptText } from '../../script/script-text.js';
import {
  InvalidParameter,
  RefusedValue,
  TemplateError,
  type Rendered,
} from '../../template/template.js';
import { EveryCombination } from './answers.js';
import { Domain } from './domain.js';
import { LazyData } from './lazy-data.js';
import type { Path } from './option.js';
import { EveryPair } from './pairs.js';
import { Slices } from '../../base/slices.js';
import type { Slots } from './slots.js';

/** Bounds of an exploration. */
export interface Bounds {
  /** Renderings for every combination; beyond that, pairs. */
  readonly paths: number;
  readonly shapes: number;
  /** Renderings for pairs. */
  readonly pairs: number;
  /** Whether this part of the time, of 1, is over. */
  readonly isOver: (part: number) => boolean;
}

export const USUAL_BOUNDS: Omit<Bounds, 'isOver'> = { paths: 4_096, shapes: 512, pairs: 4_096 };

/** A text that the script renders, and the combinations that lead to it. */
export interface Shape {
  readonly rendered: Rendered;
  readonly paths: Path[];
  readonly bound: Bound;
}

/** The parameters whose values the placeholders of a text bind, in one combination or another. */
export type Bound = readonly ReadonlySet<string>[];

/** A combination for which no text is rendered: `error` is the template's. */
export interface Refusal {
  readonly path: Path;
  readonly error: TemplateError | RefusedValue;
}

export interface Exploration {
  readonly shapes: readonly Shape[];
  /** Combinations that are answered 400. */
  readonly refused: readonly Refusal[];
  /** Combinations that are answered 500. */
  readonly failed: readonly Refusal[];
  /** How much was explored: every combination, every pair, or only a part of the pairs. */
  readonly extent: 'all' | 'pairs' | 'part';
  /** What the template depends on that has no options. */
  readonly open: readonly string[];
  readonly slots: Slots;
  readonly renderings: number;
}

/** Most characters of texts, and half as many options of combinations: what is known of them takes much more memory. */
const MOST_KEPT = 8 << 20;

/** The part of the time that renderings may take; the rest is for PostgreSQL. */
const PART = 0.5;

/** explore renders in slices. */
export function explore(
  script: ScriptText,
  bounds: Bounds,
  slices = new Slices(),
): Promise<Exploration> {
  return new Explorer(script, bounds, slices).explore();
}

class Explorer {
  readonly #script: ScriptText;
  readonly #bounds: Bounds;
  readonly #domain: Domain;
  readonly #shapes = new Map<string, Shape & { readonly bound: Set<string>[] }>();
  readonly #refused: Refusal[] = [];
  readonly #failed: Refusal[] = [];
  readonly #open = new Set<string>();
  readonly #slices: Slices;
  #renderings = 0;
  /** Characters, and twice the options. */
  #size = 0;

  constructor(script: ScriptText, bounds: Bounds, slices: Slices) {
    this.#script = script;
    this.#bounds = bounds;
    this.#slices = slices;
    this.#domain = new Domain(script.template.text, script.head.parameters, script.body);
  }

  async explore(): Promise<Exploration> {
    const extent = await this.#combinations();
    return {
      shapes: [...this.#shapes.values()],
      refused: this.#refused,
      failed: this.#failed,
      extent,
      open: [...this.#open],
      slots: this.#domain.slots,
      renderings: this.#renderings,
    };
  }

  async #combinations(): Promise<Exploration['extent']> {
    const all = new EveryCombination(this.#domain);
    const pairs = new EveryPair(this.#domain);
    const most = this.#renderings + this.#bounds.paths;
    for (;;) {
      this.#render(all);
      const paused = await this.#slices.next();
      pairs.knows(all.answers());
      if (this.#isOver(paused)) return 'part';
      if (!all.next()) return 'all';
      if (this.#renderings >= most || this.#shapes.size >= this.#bounds.shapes)
        return this.#pairs(pairs);
    }
  }

  async #pairs(pairs: EveryPair): Promise<Exploration['extent']> {
    const most = this.#renderings + this.#bounds.pairs;
    for (const path of this.#paths()) {
      pairs.came(path);
      await this.#slices.next();
    }
    while (pairs.next()) {
      this.#render(pairs);
      const paused = await this.#slices.next();
      pairs.knows(pairs.answers());
      pairs.came(pairs.path());
      if (this.#renderings >= most || this.#isOver(paused)) return 'part';
    }
    return pairs.whole ? 'pairs' : 'part';
  }

  *#paths(): Generator<Path> {
    for (const { paths } of this.#shapes.values()) yield* paths;
    for (const { path } of [...this.#refused, ...this.#failed]) yield path;
  }

  #isOver(paused: boolean): boolean {
    if (this.#size > MOST_KEPT) return true;
    // Asking for the time costs more than most renderings.
    return (paused || this.#renderings % 16 === 0) && this.#bounds.isOver(PART);
  }

  #pathOf(answers: EveryCombination | EveryPair): Path {
    const path = answers.path();
    this.#size += 2 * path.length;
    return path;
  }

  #render(answers: EveryCombination | EveryPair): void {
    this.#renderings++;
    const data = new LazyData(this.#domain, answers, (what) => this.#open.add(what));
    let rendered;
    try {
      rendered = this.#script.template.render(data);
    } catch (error) {
      const path = this.#pathOf(answers);
      if (error instanceof InvalidParameter || error instanceof RefusedValue)
        this.#refused.push({ path, error });
      else if (error instanceof TemplateError) this.#failed.push({ path, error });
      else throw error;
      return;
    }
    const path = this.#pathOf(answers);
    let shape = this.#shapes.get(rendered.text);
    if (shape === undefined) {
      const bound = rendered.values.map(() => new Set<string>());
      this.#shapes.set(rendered.text, (shape = { rendered, paths: [], bound }));
      this.#size += rendered.text.length;
    }
    shape.paths.push(path);
    // A value that is the same as another parameter's has the slot of that one.
    if (path.some(({ option }) => option.id.startsWith('same:'))) return;
    rendered.values.forEach((value, i) => {
      for (const key of this.#domain.slots.keysIn(value ?? '')) shape.bound[i]!.add(key);
    });
  }
}
