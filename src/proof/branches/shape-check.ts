/**
 * Asks PostgreSQL about one text that a script renders: whether it can be parsed, with which types. The statement is parsed
 * and described, never run. Where the text holds values of the caller, candidates stand for them one after the other.
 */
import { ServiceError } from '../../base/errors.js';
import type { Head } from '../../script/head/head.js';
import type { StatementBuilder } from '../../script/statement/statement.js';
import type { Verb } from '../../script/verb.js';
import type { Position } from '../../base/position.js';
import type { Rendered } from '../../template/template.js';
import { END, NUMBER, SqlScanner } from '../../template/sql-scanner.js';
import type { Bound } from './exploration.js';
import type { Slots } from './slots.js';
import {
  checkStatement,
  refused,
  WRITES,
  type Describe,
  type Description,
  type Parsed,
  type ParsedStatement,
  type Unparsed,
} from './statement-check.js';
import { StandIns } from './stand-ins.js';

/** The script that is checked, and how its statements are built and described. */
export interface Checking {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  readonly head: Head;
  readonly statements: StatementBuilder;
  readonly describe: Describe;
  /** Names of tables, for a place that may want one. */
  readonly tables: readonly string[];
}

/** Why a text is broken. */
export interface Fault {
  readonly message: string;
  /** An SQLSTATE, or a code of src/base/errors.ts. */
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
  /** Whether the fault is a value's: a request is answered 400 then. */
  readonly isRefused: boolean;
  readonly open: readonly OpenPlace[];
  /** What is not proved although the text can be parsed. */
  readonly unproved: readonly string[];
  /** Of the last statement with columns; of a read without its frame. */
  readonly columns: Description['columns'] | undefined;
  /** The statements that PostgreSQL has parsed, the one with those columns last. */
  readonly statements: readonly ParsedStatement[];
  /** OIDs of the types of parameters by their names, of those that are bound. */
  readonly types: ReadonlyMap<string, number>;
}

const WHAT_WRITES =
  'a statement with a constant whose type writes when it is read, which a proof does not let it do';

/** Most statements that PostgreSQL is asked about for one text. */
const MOST_TRIES = 80;

/**
 * checkShape takes a text with the parameters that each of its placeholders binds in other renderings of it. Rejects with
 * StatementFailure when the database cannot be asked.
 */
export async function checkShape(
  rendered: Rendered,
  slots: Slots,
  checking: Checking,
  bound: Bound = [],
): Promise<ShapeResult> {
  const misplaced = rendered.misplacedPlaceholder();
  if (misplaced !== undefined)
    return broken({
      message: 'a placeholder in quotes or a comment is only text there',
      code: 'placeholder_in_literal',
      hint: undefined,
      place: misplaced,
    });
  return new ShapeCheck(rendered, slots, checking, bound).check();
}

const NOTHING: ShapeResult = {
  fault: undefined,
  isRefused: false,
  open: [],
  unproved: [],
  columns: undefined,
  statements: [],
  types: new Map(),
};

function broken(fault: Fault): ShapeResult {
  return { ...NOTHING, fault };
}

/** The texts of an absent parameter, as it is and in a list. */
const NO_VALUE = /<no value>|<nil>/;

/** What was found out with one candidate for each place. */
interface Attempt {
  readonly fault: Unparsed | undefined;
  /** The place at which PostgreSQL reports the fault; -1 for none. */
  readonly place: number;
  readonly parsed: Parsed | undefined;
}

/** A fault at none of the places. */
interface Elsewhere {
  readonly fault: Unparsed;
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

/** unanimous is the fault of a string constant that is refused whatever it is, and not because of its type. */
function unanimous([first, ...others]: readonly Unparsed[]): Unparsed | undefined {
  if (first === undefined || first.code.startsWith('22')) return undefined;
  return others.every(({ code, offset }) => code === first.code && offset === first.offset)
    ? first
    : undefined;
}

class ShapeCheck {
  readonly #rendered: Rendered;
  readonly #slots: Slots;
  readonly #checking: Checking;
  readonly #standIns: StandIns;
  readonly #others: Bound;

  constructor(rendered: Rendered, slots: Slots, checking: Checking, others: Bound) {
    this.#others = others;
    this.#rendered = rendered;
    this.#slots = slots;
    this.#checking = checking;
    this.#standIns = new StandIns(rendered, slots, checking.tables);
  }

  async check(): Promise<ShapeResult> {
    const elsewhere: Elsewhere[] = [];
    const refusals: Unparsed[] = [];
    for (let tries = 0; tries < MOST_TRIES && elsewhere.length < MOST_ELSEWHERE; tries++) {
      const { fault, place, parsed } = await this.#attempt();
      if (parsed !== undefined) return this.#valid(parsed);
      const parameter = fault!.parameter ?? 0;
      if (place !== -1) {
        if (this.#standIns.isConstant(place)) refusals.push(fault!);
        if (!this.#standIns.advanceAt(place)) break;
      } else if (parameter > this.#rendered.values.length) {
        if (!this.#standIns.advanceBound(parameter)) break;
      } else {
        // A statement that ends too early with one name does with any.
        const { isSyntax, offset } = fault!;
        const isEnd = isSyntax === true && this.#standIns.endAt(offset);
        elsewhere.push({ fault: fault!, named: !isEnd && this.#standIns.named });
        if (!this.#standIns.advanceAll()) break;
      }
    }
    const fault =
      certain(elsewhere) ?? (this.#standIns.isExhausted ? unanimous(refusals) : undefined);
    if (fault?.code === WRITES) return { ...NOTHING, unproved: [WHAT_WRITES] };
    if (fault !== undefined)
      return { ...broken(this.#placed(fault)), isRefused: this.#isRefused(fault) };
    const open = this.#open(false);
    return { ...NOTHING, open };
  }

  /** Whether it is a value that the type of a string constant does not have: a request is answered 400 then. */
  #isRefused({ code, offset, message }: Unparsed): boolean {
    if (!code.startsWith('22')) return false;
    if (NO_VALUE.test(message)) return true;
    if (offset === undefined) return false;
    const token = new SqlScanner(this.#rendered.text, offset);
    token.next();
    return NO_VALUE.test(token.value()) || this.#rendered.interpolatedAt(offset).length > 0;
  }

  #placed({ offset, parameter, message, code, hint }: Unparsed): Fault {
    const at = offset ?? (parameter && placeholderIn(this.#rendered.text, parameter));
    return { message, code, hint, place: at === undefined ? undefined : this.#rendered.locate(at) };
  }

  #valid({ unproved, columns, statements, parameters }: Parsed): ShapeResult {
    const types = new Map<string, number>();
    for (const [number, type] of parameters)
      for (const key of this.#keysBound(number)) types.set(key, type);
    return { ...NOTHING, open: this.#open(true), unproved, columns, statements, types };
  }

  #keysBound(number: number): readonly string[] {
    const { values } = this.#rendered;
    if (number > values.length) return this.#standIns.boundKeys(number);
    const key = this.#rendered.boundParameter(number);
    const own = key === undefined ? this.#slots.keysIn(values[number - 1] ?? '') : [key];
    return [...own, ...(this.#others[number - 1] ?? [])];
  }

  #open(found: boolean): OpenPlace[] {
    return this.#standIns
      .open(found)
      .map(({ keys, start }) => ({ keys, place: this.#rendered.locate(start) }));
  }

  async #attempt(): Promise<Attempt> {
    const substitution = this.#standIns.substitution();
    const failed = (fault: Unparsed): Attempt => {
      const { offset } = fault;
      const place = offset === undefined ? -1 : substitution.editAt(offset);
      const original = offset === undefined ? undefined : substitution.originalOffset(offset);
      return { fault: { ...fault, offset: original }, place, parsed: undefined };
    };
    const { statements, verb, script, head, describe } = this.#checking;
    try {
      const source = {
        locate: (at: number) => this.#rendered.locate(substitution.originalOffset(at)),
      };
      const statement = statements.build(verb, substitution.text, script, source);
      const found = await checkStatement(statement, verb, head, describe);
      return 'code' in found ? failed(found) : { fault: undefined, place: -1, parsed: found };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return failed(refused(error));
    }
  }
}

/** The offset of the first placeholder with a number. */
function placeholderIn(text: string, number: number): number | undefined {
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next())
    if (kind === NUMBER && scanner.value() === `$${number}`) return scanner.start;
  return undefined;
}
