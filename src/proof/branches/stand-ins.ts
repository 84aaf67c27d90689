/**
 * What stands for the values of the caller while PostgreSQL is asked about a text: one candidate for all places of a kind with
 * the same text, so that equal expressions stay equal.
 */
import { skipSpace } from '../../template/sql-scanner.js';
import type { Rendered } from '../../template/template.js';
import { candidatesOf, namesIn, type Candidate } from './candidates.js';
import { placesOf, type Place } from './places.js';
import type { Slots } from './slots.js';
import { Substitution } from './substitution.js';

/** Places with the same text. */
interface Group {
  readonly places: Place[];
  readonly candidates: readonly Candidate[];
  /** The candidate that stands there. */
  tried: number;
}

export class StandIns {
  readonly #rendered: Rendered;
  readonly #groups: readonly Group[];
  /** The groups of the places in the order of the text. */
  readonly #order: readonly (readonly [Place, Group])[];
  /** The groups with a placeholder in the last substitution, by number. */
  #bound: readonly Group[] = [];

  /** `tables` are names for a place that may want a table. */
  constructor(rendered: Rendered, slots: Slots, tables: readonly string[]) {
    this.#rendered = rendered;
    const { text } = rendered;
    const groups = new Map<string, Group>();
    let names: string[] | undefined;
    this.#order = placesOf(text, slots).map((place) => {
      const token = text.slice(place.start, place.end);
      const key = `${place.kind} ${place.called} ${token}`;
      let group = groups.get(key);
      if (group === undefined) {
        names ??= [...namesIn(text).filter((name) => slots.keysIn(name).length === 0), ...tables];
        const inside = slots.in(token).map(({ start, end }) => [start, end] as const);
        const candidates = candidatesOf(place, token, inside, names);
        groups.set(key, (group = { places: [], candidates, tried: 0 }));
      }
      group.places.push(place);
      return [place, group];
    });
    this.#groups = [...groups.values()];
  }

  /** The text with the candidates; placeholders are numbered after the script's. */
  substitution(): Substitution {
    const first = this.#rendered.values.length + 1;
    this.#bound = this.#groups.filter((group) => standing(group).sql === undefined);
    const numbers = new Map(this.#bound.map((group, i) => [group, first + i]));
    const edits = this.#order.map(([{ start, end }, group]) => {
      const { sql = `$${numbers.get(group)}` } = standing(group);
      return { start, end, sql };
    });
    return new Substitution(this.#rendered.text, edits);
  }

  /** Whether one of the places is in a string constant. */
  isConstant(index: number): boolean {
    return isConstant(this.#order[index]![0]);
  }

  /** Whether there is a string constant for which nothing is left to try. */
  get isExhausted(): boolean {
    return this.#groups.some(
      ({ places: [place], tried, candidates }) => isConstant(place!) && tried >= candidates.length,
    );
  }

  /** advanceAt goes on to the next candidate of the places around one of the text; false after the last one. */
  advanceAt(index: number): boolean {
    return this.#advance(this.#order[index]![1]);
  }

  /** advanceBound does so for the places with a placeholder. */
  advanceBound(number: number): boolean {
    const group = this.#bound[number - this.#rendered.values.length - 1];
    return group !== undefined && this.#advance(group);
  }

  /** advanceAll does so for all places that may be the cause of an error elsewhere. */
  advanceAll(): boolean {
    let more = false;
    for (const group of this.#groups) {
      if (isConstant(group.places[0]!) || group.tried + 1 >= group.candidates.length) continue;
      group.tried++;
      more = true;
    }
    return more;
  }

  /** Whether a name stands at some place: if it names a wrong table, columns are missing everywhere. */
  get named(): boolean {
    return this.#groups.some((group) => standing(group).named);
  }

  /** endAt tells whether the statement ends at an offset of its text, with what stands at one of the places. */
  endAt(offset = Infinity): boolean {
    const { text } = this.#rendered;
    const at = skipSpace(text, offset);
    if ((text[at] ?? ';') !== ';') return false;
    return this.#order.some(
      ([{ end }, group]) => standing(group) !== EMPTY && skipSpace(text, end) === at,
    );
  }

  /** boundKeys are the parameters whose value, by itself, is bound to a placeholder. */
  boundKeys(number: number): readonly string[] {
    const place = this.#bound[number - this.#rendered.values.length - 1]?.places[0];
    return place?.kind === 'value' ? place.keys : [];
  }

  /** open lists the places where what stands does not stand for every value; all of them if nothing was found. */
  open(found: boolean): Place[] {
    return this.#order.flatMap(([place, group]) =>
      place.kind !== 'literal' && !(found && standing(group).general) ? [place] : [],
    );
  }

  #advance(group: Group): boolean {
    group.tried++;
    return group.tried < group.candidates.length;
  }
}

function isConstant({ kind }: Place): boolean {
  return kind === 'literal' || kind === 'quoted';
}

/** A place without any candidate is left empty. */
const EMPTY: Candidate = { sql: '', general: false, named: true };

function standing({ candidates, tried }: Group): Candidate {
  return candidates[tried] ?? EMPTY;
}
