/** Proves scripts on one database. Several may be proved at a time: their statements share a connection. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.js';
import {
  StatementFailure,
  type Queryable,
  type ServiceDatabase,
} from '../../postgres/statement/queryable.js';
import { unsafeValue } from '../../script/script-error.js';
import { ShapedStatements } from '../../script/statement/shaped-statements.js';
import type { ScriptText } from '../../script/script-text.js';
import {
  jsonFrame,
  StatementBuilder,
  type JsonAggregate,
} from '../../script/statement/statement.js';
import type { RoleSettings } from '../../messages/access-settings.js';
import {
  RefusedValue,
  TemplateError,
  type Rendered,
  type TemplateMap,
} from '../../template/template.js';
import { canAnalyse } from '../analysis/analysis.js';
import { Analyser } from './analyser.js';
import { tablesOf } from './catalog.js';
import { USUAL_BOUNDS, type Exploration } from './exploration.js';
import { faultOf, prove, type Proof, type ProofSession } from './proof.js';
import { OutOfTime } from './interruption.js';
import { checkShape, type Checking, type Fault } from './shape-check.js';
import { missingPrivileges, rolesOf } from './privileges.js';
import { SLICE, Slices } from '../../base/slices.js';
import { Slots } from './slots.js';

/** Limits of the proof of one text. */
export interface ProofLimits {
  /** Combinations; beyond that, pairs. */
  readonly paths: number;
  readonly shapes: number;
  /** Combinations that are tried for pairs. */
  readonly pairs: number;
  /** ms. */
  readonly time: number;
}

export const USUAL_LIMITS: ProofLimits = { ...USUAL_BOUNDS, time: 10_000 };

/** Limits for a proof of every combination: they only keep one script from taking all memory, or for ever. */
export const WIDE_LIMITS: ProofLimits = {
  paths: 131_072,
  shapes: 32_768,
  pairs: 131_072,
  time: 600_000,
};

export interface ProverSettings {
  /** The service's settings, which are part of the statements of reads. */
  readonly aggregate: JsonAggregate;
  readonly maxResult: number;
  /** USUAL_LIMITS by default. */
  readonly limits?: ProofLimits;
  /** How long PostgreSQL may take for one statement, ms: it waits for locks on the tables. */
  readonly patience: number;
  /** How long it may wait for one lock, ms; `patience` by default. */
  readonly lockLimit?: number;
  /**
   * Where statements are analysed, so that the proof shows which columns can be NULL, what the statements use and which
   * privileges are missing: each in a transaction of its own that is rolled back. Undefined for a proof without that.
   */
  readonly analysis?: ServiceDatabase | undefined;
  /** The roles that scripts run under, for the privileges of analysed statements; undefined for the user of the connection. */
  readonly role?: RoleSettings | undefined;
  /**
   * Whether the thread serves requests meanwhile: statements then use dedicated connections, so that one that waits for a
   * lock delays no script, and other work pauses between slices.
   */
  readonly serves?: boolean;
  /** Where requests use the same processors and the same server. The rests do not count as time of the proof. */
  readonly pacing?: Pacing;
  /** Ends a proof as when its time is over. */
  readonly signal?: AbortSignal;
}

/** Waits of the prover after work that took some ms. */
export interface Pacing {
  /** After a statement of PostgreSQL. */
  afterStatement(took: number): Promise<void>;
  /** After a slice of the prover's own work. */
  afterSlice(took: number): Promise<void>;
}

/** How long requests have the thread for themselves between slices, ms: a turn each would give them little. */
const PAUSE = 2;

/**
 * Texts of a script that PostgreSQL is asked about, and statements that it analyses, at a time, where no requests are
 * affected.
 */
const PARALLEL = 4;

/** The slots of a text that was rendered with values. */
const NO_SLOTS = new Slots('');

/** The proof of a text on another engine, of which PostgreSQL's rules say nothing. */
function unprovable(title: string): Proof {
  const what = `all of it: proofs need PostgreSQL, and the database is ${title}`;
  return {
    verdict: 'unproved',
    findings: [],
    open: [{ what, place: undefined }],
    parameters: [],
    columns: [],
    columnsWhen: [],
    exploration: NOTHING_EXPLORED,
    asked: 0,
    isCut: false,
  };
}

const NOTHING_EXPLORED: Exploration = {
  shapes: [],
  refused: [],
  failed: [],
  extent: 'part',
  open: [],
  slots: NO_SLOTS,
  renderings: 0,
};

export class Prover {
  readonly #database: ServiceDatabase;
  readonly #queryable: Queryable;
  readonly #settings: ProverSettings;
  readonly #limits: ProofLimits;
  readonly #statements: StatementBuilder;
  readonly #shaped: ShapedStatements;
  readonly #analyser: Analyser | undefined;
  #tables: Promise<readonly string[]> | undefined;
  /** ms. */
  #rested = 0;

  constructor(database: ServiceDatabase, settings: ProverSettings) {
    const { aggregate, maxResult, analysis } = settings;
    this.#database = database;
    this.#queryable = settings.serves ? database.dedicated : database;
    this.#settings = settings;
    this.#limits = settings.limits ?? USUAL_LIMITS;
    this.#statements = new StatementBuilder(jsonFrame(aggregate, maxResult));
    this.#shaped = new ShapedStatements(aggregate, maxResult);
    this.#analyser = analysis && new Analyser(analysis);
  }

  /**
   * prove proves the text of `script` (`<folder>/<script>`) in at most `time` ms; all of it is open on another engine than
   * PostgreSQL. Rejects with StatementFailure when the database cannot be asked.
   */
  async prove(script: string, text: ScriptText, time = this.#limits.time): Promise<Proof> {
    const { isPostgres, title } = await this.#database.engine();
    if (!isPostgres) return unprovable(title);
    const { signal, serves = false, pacing } = this.#settings;
    const { paths, shapes, pairs } = this.#limits;
    const tables = await this.#tablesOnce();
    const start = this.#now();
    const isOver = (part: number): boolean =>
      signal?.aborted === true || this.#now() >= start + part * time;
    const checking = this.#checking(script, text, start + time, tables);
    const parallel = serves || pacing !== undefined ? 1 : PARALLEL;
    const session = { ...checking, ...this.#analysing(start + time), parallel };
    return prove(text, session, { paths, shapes, pairs, isOver }, this.#slices());
  }

  /**
   * proveWith gives what is wrong with what a text renders with some data; it rejects as prove does, and with OutOfTime
   * after `time` ms.
   */
  async proveWith(
    data: TemplateMap,
    script: string,
    text: ScriptText,
    time: number,
  ): Promise<Fault | undefined> {
    let rendered: Rendered;
    try {
      rendered = text.template.render(data);
    } catch (error) {
      if (error instanceof RefusedValue) return unsafe(error);
      if (error instanceof TemplateError) return faultOf(error);
      throw error;
    }
    const checking = this.#checking(script, text, this.#now() + time, []);
    return (await checkShape(rendered, NO_SLOTS, checking)).fault;
  }

  /** canAnalyse resolves to false when statements are to be analysed and cannot be; rejects with StatementFailure. */
  async canAnalyse(): Promise<boolean> {
    const { analysis, patience } = this.#settings;
    if (analysis === undefined) return true;
    return (await analysis.engine()).isPostgres && canAnalyse(analysis, patience);
  }

  #analysing(end: number): Pick<ProofSession, 'analyse' | 'privileges'> {
    const analyser = this.#analyser;
    if (analyser === undefined) return {};
    const { patience, role } = this.#settings;
    return {
      analyse: async (statement) => {
        const left = end - this.#now();
        if (left <= 0) throw new OutOfTime();
        try {
          return await this.#restAfter(() => analyser.analyse(statement, Math.min(patience, left)));
        } catch (error) {
          if (left <= patience && isCancelled(error)) throw new OutOfTime();
          throw error;
        }
      },
      privileges: (texts) => missingPrivileges(this.#queryable, texts, rolesOf(role)),
    };
  }

  #checking(
    script: string,
    { verb, head }: ScriptText,
    end: number,
    tables: readonly string[],
  ): Checking {
    const { patience, lockLimit, serves: alone = false } = this.#settings;
    return {
      script,
      verb,
      head,
      statements: (verb === 'read' ? this.#shaped.of(head) : undefined) ?? this.#statements,
      describe: async (sql) => {
        const left = end - this.#now();
        if (left <= 0) throw new OutOfTime();
        const limit = Math.min(patience, left);
        const described = await this.#restAfter(() =>
          this.#database.describe(sql, { limit, lockLimit, alone }),
        );
        if (limit === left && isTimeout(described)) throw new OutOfTime();
        return described;
      },
      tables,
    };
  }

  /** performance.now() without the rests: the clock of time limits. */
  #now(): number {
    return performance.now() - this.#rested;
  }

  #slices(): Slices {
    const { serves = false, pacing } = this.#settings;
    if (pacing !== undefined) return new Slices(() => this.#rest(pacing.afterSlice(SLICE)));
    return serves ? new Slices(() => sleep(PAUSE)) : new Slices();
  }

  async #restAfter<Result>(task: () => Promise<Result>): Promise<Result> {
    const { pacing } = this.#settings;
    if (pacing === undefined) return task();
    const began = performance.now();
    const result = await task();
    await this.#rest(pacing.afterStatement(performance.now() - began));
    return result;
  }

  async #rest(rest: Promise<void>): Promise<void> {
    const began = performance.now();
    await rest;
    this.#rested += performance.now() - began;
  }

  async #tablesOnce(): Promise<readonly string[]> {
    this.#tables ??= tablesOf(this.#queryable);
    try {
      return await this.#tables;
    } catch (error) {
      this.#tables = undefined; // the next proof asks again
      throw error;
    }
  }
}

function isCancelled(error: unknown): boolean {
  return error instanceof StatementFailure && error.state === '57014';
}

function isTimeout(described: object): boolean {
  return described instanceof ServiceError && described.code === 'timeout';
}

function unsafe({ parameter }: RefusedValue): Fault {
  const { message, code } = unsafeValue(parameter);
  return { message, code, hint: undefined, place: undefined };
}
