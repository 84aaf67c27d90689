/**
 * Asks PostgreSQL about one text that a script renders: whether it can be parsed, with which types. The statement is parsed
 * and described, never run. Where the text holds values of the caller, candidates stand for them one after the other.
 */
import { ServiceError } from '../errors.js';
import type { StatementBuilder } from '../script/statement.js';
import type { Verb } from '../script/verb.js';
import type { Position } from '../position.js';
import type { Rendered } from '../template/template.js';
import { candidatesOf, namesIn, type Candidate } from './candidates.js';
import { placesOf, type Place } from './places.js';
import type { Slots } from './slots.js';
import {
  checkStatement,
  type Describe,
  type Description,
  type Unparsed,
} from './statement-check.js';
import { Substitution } from './substitution.js';

/** What a script's statements are made with, and whom they are shown to. */
export interface Checking {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  readonly statements: StatementBuilder;
  readonly describe: Describe;
  /** Names of tables, for a place that may want one. */
  readonly tables: readonly string[];
}

/** Why a text is broken. */
export interface Fault {
  readonly message: string;
  /** An SQLSTATE, or a code of src/errors.ts. */
  readonly code: string;
  readonly hint: string | undefined;
  /** In the template; undefined if unknown. */
  readonly place: Position | undefined;
}

/** A place whose text the caller chooses, so that not every value can be proved. */
export interface OpenPlace {
  readonly keys: readonly string[];
  readonly place: Position;
}

export interface ShapeResult {
  /** Undefined for a text that can be parsed, and for one where that cannot be decided. */
  readonly fault: Fault | undefined;
  readonly open: readonly OpenPlace[];
  /** What is not proved although the text can be parsed. */
  readonly unproved: readonly string[];
  /** Of the last statement with columns; of a read without its frame. */
  readonly columns: Description['columns'] | undefined;
  /** OIDs of the types of parameters by their names, of those that are bound. */
  readonly types: ReadonlyMap<string, number>;
}

/** Most statements that PostgreSQL is asked about for one text. */
const MOST_TRIES = 80;

/** checkShape rejects with StatementFailure when the database cannot be asked. */
export async function checkShape(
  rendered: Rendered,
  slots: Slots,
  checking: Checking,
): Promise<ShapeResult> {
  const misplaced = rendered.misplacedPlaceholder();
  if (misplaced !== undefined)
    return broken({
      message: 'a placeholder in quotes or a comment is only text there',
      code: 'placeholder_in_literal',
      hint: undefined,
      place: misplaced,
    });
  return new ShapeCheck(rendered, slots, checking).check();
}

function broken(fault: Fault): ShapeResult {
  return { fault, open: [], unproved: [], columns: undefined, types: new Map() };
}

/** What was found out with one candidate for each place. */
interface Attempt {
  readonly fault: Unparsed | undefined;
  /** The place at which PostgreSQL reports the fault; -1 for none. */
  readonly place: number;
  readonly unproved: readonly string[];
  readonly columns: Description['columns'] | undefined;
  readonly parameters: ReadonlyMap<number, number>;
}

/** A fault at none of the places. */
interface Elsewhere {
  readonly fault: Unparsed;
  /** Whether a name was tried: if it is that of a wrong table, columns are missing everywhere. */
  readonly named: boolean;
}

/** Most faults elsewhere for one text. */
const MOST_ELSEWHERE = 12;

/** certain is the fault that does not depend on what stands at the places: the same one each time. */
function certain(elsewhere: readonly Elsewhere[]): Unparsed | undefined {
  const [first, ...others] = elsewhere.filter(({ named }) => !named);
  if (first === undefined) return undefined;
  const { code, offset } = first.fault;
  const same = others.every(({ fault }) => fault.code === code && fault.offset === offset);
  return same ? first.fault : undefined;
}

class ShapeCheck {
  readonly #rendered: Rendered;
  readonly #slots: Slots;
  readonly #checking: Checking;
  readonly #places: readonly Place[];
  readonly #candidates: readonly (readonly Candidate[])[];
  /** The candidate of each place that is tried. */
  readonly #tried: number[];

  constructor(rendered: Rendered, slots: Slots, checking: Checking) {
    const { text, values } = rendered;
    this.#rendered = rendered;
    this.#slots = slots;
    this.#checking = checking;
    this.#places = placesOf(text, slots);
    const names = this.#places.length === 0 ? [] : namesIn(text);
    const unslotted = names.filter((name) => slots.keysIn(name).length === 0);
    this.#candidates = this.#places.map((place, i) => {
      const { start, end } = place;
      const token = text.slice(start, end);
      const inside = slots.in(token).map((slot) => [slot.start, slot.end] as const);
      const placeholder = `$${values.length + 1 + i}`;
      return candidatesOf(place, token, inside, placeholder, [...unslotted, ...checking.tables]);
    });
    this.#tried = this.#places.map(() => 0);
  }

  async check(): Promise<ShapeResult> {
    const elsewhere: Elsewhere[] = [];
    for (let tries = 0; tries < MOST_TRIES && elsewhere.length < MOST_ELSEWHERE; tries++) {
      const attempt = await this.#attempt();
      const { fault, place } = attempt;
      if (fault === undefined) return this.#valid(attempt);
      if (place === -1) elsewhere.push({ fault, named: this.#isNamed() });
      if (!this.#advance(place)) break;
    }
    const fault = certain(elsewhere);
    if (fault !== undefined) return broken(this.#placed(fault));
    const open = this.#open(() => true);
    return { fault: undefined, open, unproved: [], columns: undefined, types: new Map() };
  }

  #placed({ offset, ...fault }: Unparsed): Fault {
    return { ...fault, place: offset === undefined ? undefined : this.#rendered.locate(offset) };
  }

  /** Whether a name is tried at some place. */
  #isNamed(): boolean {
    return this.#candidates.some((all, i) => all[this.#tried[i]!]?.named === true);
  }

  /** The next candidate for the place of the error; for all places that may be its cause when it is elsewhere. */
  #advance(place: number): boolean {
    if (place !== -1) return ++this.#tried[place]! < this.#candidates[place]!.length;
    let more = false;
    this.#places.forEach(({ kind }, i) => {
      if (kind === 'literal' || this.#tried[i]! + 1 >= this.#candidates[i]!.length) return;
      this.#tried[i]!++;
      more = true;
    });
    return more;
  }

  #valid({ unproved, columns, parameters }: Attempt): ShapeResult {
    const types = new Map<string, number>();
    const { values } = this.#rendered;
    for (const [number, type] of parameters) {
      const place = this.#places[number - 1 - values.length];
      const keys =
        place === undefined ? this.#keysBound(number) : place.kind === 'value' ? place.keys : [];
      for (const key of keys) types.set(key, type);
    }
    const open = this.#open((i) => !this.#candidates[i]![this.#tried[i]!]!.general);
    return { fault: undefined, open, unproved, columns, types };
  }

  #keysBound(number: number): readonly string[] {
    const key = this.#rendered.boundParameter(number);
    if (key !== undefined) return [key];
    return this.#slots.keysIn(this.#rendered.values[number - 1] ?? '');
  }

  #open(isOpen: (place: number) => boolean): OpenPlace[] {
    return this.#places.flatMap(({ keys, start, kind }, i) =>
      kind !== 'literal' && isOpen(i) ? [{ keys, place: this.#rendered.locate(start) }] : [],
    );
  }

  async #attempt(): Promise<Attempt> {
    const edits = this.#places.map(({ start, end }, i) => ({
      start,
      end,
      sql: this.#candidates[i]?.[this.#tried[i]!]?.sql ?? '',
    }));
    const substitution = new Substitution(this.#rendered.text, edits);
    const failed = (fault: Unparsed): Attempt => {
      const { offset } = fault;
      const place = offset === undefined ? -1 : substitution.editAt(offset);
      const original = offset === undefined ? undefined : substitution.originalOffset(offset);
      return {
        fault: { ...fault, offset: original },
        place,
        unproved: [],
        columns: undefined,
        parameters: NO_TYPES,
      };
    };
    const { statements, verb, script } = this.#checking;
    try {
      const source = {
        locate: (at: number) => this.#rendered.locate(substitution.originalOffset(at)),
      };
      const statement = statements.build(verb, substitution.text, script, source);
      const found = await checkStatement(statement, this.#checking.describe);
      return 'code' in found ? failed(found) : { ...found, fault: undefined, place: -1 };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message, detail } = error;
      return failed({ code, message: detail ?? message, hint: undefined, offset: undefined });
    }
  }
}

const NO_TYPES: ReadonlyMap<number, number> = new Map();
