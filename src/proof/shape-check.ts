/**
 * Asks PostgreSQL about one text that a script renders: whether it can be parsed, with which types. The statement is parsed
 * and described, never run. Where the text holds values of the caller, candidates stand for them one after the other.
 */
import { ServiceError, statusOfSqlState } from '../errors.js';
import { StatementFailure } from '../pg/queryable.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import {
  firstWord,
  isDefinition,
  positionToScript,
  positionToText,
  withoutFrame,
  type ScriptStatement,
  type StatementBuilder,
} from '../script/statement.js';
import type { Verb } from '../script/verb.js';
import type { Position, Rendered } from '../template/template.js';
import { candidatesOf, namesIn, type Candidate } from './candidates.js';
import { placesOf, type Place } from './places.js';
import type { Slots } from './slots.js';
import { Substitution } from './substitution.js';

/** What PostgreSQL says about a statement that it has parsed: OIDs of types. */
export interface Description {
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

/** Parses and describes a statement. */
export type Describe = (sql: string) => Promise<Description | SqlFailure | ServiceError>;

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

/** A fault with its offset in the rendered text (UTF-16 units). */
interface Located extends Omit<Fault, 'place'> {
  readonly offset: number | undefined;
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
  readonly fault: Located | undefined;
  /** The place at which PostgreSQL reports the fault; -1 for none. */
  readonly place: number;
  readonly unproved: readonly string[];
  readonly columns: Description['columns'] | undefined;
  readonly parameters: ReadonlyMap<number, number>;
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
    const elsewhere: Located[] = [];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const attempt = await this.#attempt();
      if (attempt.fault === undefined) return this.#valid(attempt);
      if (attempt.place === -1) elsewhere.push(attempt.fault);
      if (!this.#advance(attempt.place)) break;
    }
    const [first] = elsewhere;
    if (first !== undefined && this.#isCertain(elsewhere)) {
      const { offset, ...fault } = first;
      return broken({
        ...fault,
        place: offset === undefined ? undefined : this.#rendered.locate(offset),
      });
    }
    return {
      fault: undefined,
      open: this.#open(() => true),
      unproved: [],
      columns: undefined,
      types: new Map(),
    };
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

  /** Whether faults elsewhere do not depend on what stands at the places: the same one each time. */
  #isCertain([first, ...others]: readonly Located[]): boolean {
    if (others.some(({ code, offset }) => code !== first!.code || offset !== first!.offset))
      return false;
    // A name that is tried may be a wrong table, whose columns are missing; a syntax error has no such excuse.
    return first!.code === SYNTAX || this.#candidates.every((all) => all[0]?.general === true);
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
    const failed = (fault: Located): Attempt => {
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
    let statement;
    try {
      const source = {
        locate: (at: number) => this.#rendered.locate(substitution.originalOffset(at)),
      };
      statement = statements.build(verb, substitution.text, script, source);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message, detail } = error;
      return failed({ code, message: detail ?? message, hint: undefined, offset: undefined });
    }
    return statement.parts === undefined
      ? this.#one(statement, failed)
      : this.#several(statement, failed);
  }

  async #one(statement: ScriptStatement, failed: (fault: Located) => Attempt): Promise<Attempt> {
    const { sql, start, length } = statement;
    const isRead = start > 0;
    // In its frame first: that is what is sent.
    const framed = await this.#describe(sql);
    if ('state' in framed) {
      const failure = withoutFrame(statement, framed);
      const { position } = failure;
      return failed(faultOf(failure, position && positionToScript(statement, position)));
    }
    const described = isRead ? await this.#describe(sql.slice(start, start + length)) : framed;
    if ('state' in described) return failed(faultOf(described, undefined));
    const unproved = unprovedBy(firstWord(statement.text) ?? '');
    const parameters = new Map(framed.parameters.map((type, i) => [i + 1, type]));
    return { fault: undefined, place: -1, unproved, columns: described.columns, parameters };
  }

  async #several(
    { parts }: ScriptStatement,
    failed: (fault: Located) => Attempt,
  ): Promise<Attempt> {
    const parameters = new Map<number, number>();
    const unproved = new Set<string>();
    let columns: Description['columns'] | undefined;
    for (const part of parts!.list) {
      const described = await this.#describe(part.sql);
      if ('state' in described) {
        const { position } = described;
        return failed(faultOf(described, position ? positionToText(part, position) : part.at));
      }
      described.parameters.forEach((type, i) => parameters.set(part.uses[i]! + 1, type));
      if (part.number > 0) ({ columns } = described);
      for (const what of unprovedBy(firstWord(part.sql) ?? '')) unproved.add(what);
      if (!isDefinition(part.sql)) continue;
      unproved.add('the statements after one that defines or drops something');
      break;
    }
    return { fault: undefined, place: -1, unproved: [...unproved], columns, parameters };
  }

  async #describe(sql: string): Promise<Description | SqlFailure> {
    const described = await this.#checking.describe(sql);
    if (described instanceof ServiceError) throw new StatementFailure(described);
    if ('state' in described && statusOfSqlState(described.state) >= 503)
      throw new StatementFailure(described);
    return described;
  }
}

const SYNTAX = '42601';

const NO_TYPES: ReadonlyMap<number, number> = new Map();

function faultOf({ message, state, hint }: SqlFailure, offset: number | undefined): Located {
  return { message, code: state, hint, offset };
}

/** Statements that PostgreSQL analyses when it parses them; of others it checks the grammar only. */
const ANALYSED: ReadonlySet<string> = new Set(
  ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES', 'TABLE', 'WITH', 'CALL', 'EXPLAIN'], //
);

function unprovedBy(first: string): string[] {
  if (ANALYSED.has(first)) return [];
  return [
    first === 'DO' ? 'the body of DO' : `the ${first} statement, which is checked when it runs`,
  ];
}
