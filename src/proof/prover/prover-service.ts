/**
 * Proves the scripts that a service serves, after its start and whenever they or the catalogs of its databases change: one
 * text at a time, on one connection to each database. Everything it does is done one after the other, so that it never
 * waits for a connection that it uses itself.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import type { Database } from '../../postgres/lanes/database.js';
import type { ProofNews, ServedProof } from '../../messages/proofs.js';
import { logCompiled } from '../../script/warnings/text-warnings.js';
import type { ProverSettings } from '../../messages/prover-settings.js';
import { MisplacedFiles } from './misplaced-files.js';
import { ProofLog } from './proof-log.js';
import { NewsCollector } from './proof-news.js';
import type { ProofStore } from './proof-store.js';
import type { TextSource } from './served-texts.js';
import { RestsByActivity, type RestPace } from './rests.js';
import { unprovable, UnitProver, type UnitProof } from './unit-proof.js';
import { keyOf, Units, type Unit } from './units.js';
import { WatchedDatabase, type LookPace, type Since } from './watched-database.js';

export interface Pace extends LookPace {
  /** The shortest time between two looks at the texts, ms. */
  readonly texts: number;
  readonly rests: RestPace;
}

const PACE: Readonly<Record<ProverSettings['mode'], Pace>> = {
  warn: { texts: 2_000, catalogs: 3_000, part: 100, rests: { idle: 1, busy: 150, brief: 4 } },
  // Changes wait for their proof.
  require: { texts: 800, catalogs: 3_000, part: 100, rests: { idle: 1, busy: 150, brief: 4 } },
};

/** In development mode: who saves a script waits for what is found. */
const DEVELOPMENT: Pace = { texts: 100, catalogs: 500, part: 10, rests: { idle: 1, busy: 4 } };

export interface ProverCallbacks {
  /** Gets what is new. */
  readonly report: (news: ProofNews) => void;
  /** Is called with the hash of a text before its proof, and with undefined after it. */
  readonly proving: (text: string | undefined) => void;
}

/** What a prover works on. */
export interface ProverSources {
  /** The databases of the settings by alias, for this service alone: it closes them. */
  readonly databases: ReadonlyMap<string, Database>;
  readonly texts: TextSource;
  /** Undefined: proofs are not shared. */
  readonly shared: ProofStore | undefined;
}

/** The pause after an error of the prover itself, ms. */
const AFTER_ERROR = 5_000;

export class ProverService {
  readonly #settings: ProverSettings;
  readonly #databases: ReadonlyMap<string, Database>;
  readonly #log: Logger;
  readonly #proofLog: ProofLog;
  readonly #news: NewsCollector;
  readonly #proving: ProverCallbacks['proving'];
  #deadly: ReadonlySet<string> = new Set();
  readonly #pace: Pace;
  readonly #source: TextSource;
  readonly #watched: ReadonlyMap<string, WatchedDatabase>;
  readonly #shared: ProofStore | undefined;
  /** In development mode, unless scripts are in a table. */
  readonly #misplaced: MisplacedFiles | undefined;
  readonly #prover: UnitProver;
  readonly #trouble = new LogOnce();
  readonly #closing = new AbortController();
  #units: Units | undefined;
  /** The unit whose proof was reported under a key. */
  readonly #holders = new Map<string, Unit>();
  #nextTexts = -Infinity;
  #wake: (() => void) | undefined;
  #ended: Promise<void> | undefined;
  /** When the round began, and how many of its proofs were reported; no round runs while it is undefined. */
  #round: { readonly began: number; reported: number } | undefined;
  #hasRound = false;

  constructor(
    settings: ProverSettings,
    { databases, texts, shared }: ProverSources,
    { report, proving }: ProverCallbacks,
    log: Logger,
    pace: Pace = settings.development ? DEVELOPMENT : PACE[settings.mode],
  ) {
    this.#settings = settings;
    this.#databases = databases;
    this.#log = log;
    this.#proofLog = new ProofLog(log, settings.development);
    this.#news = new NewsCollector(report);
    this.#proving = proving;
    this.#pace = pace;
    this.#source = texts;
    this.#shared = shared;
    const { signal } = this.#closing;
    const isUrgent = (): boolean => settings.mode === 'require' && !this.#news.isComplete;
    const rests = new RestsByActivity(settings.activity, pace.rests, isUrgent, signal);
    this.#watched = new Map(
      [...databases].map(([alias, database]) => [
        alias,
        new WatchedDatabase(database, settings, pace, rests, signal, log),
      ]),
    );
    if (settings.development && settings.scriptsTable === undefined)
      this.#misplaced = new MisplacedFiles(settings.scripts, log);
    this.#prover = new UnitProver(this.#watched, shared);
  }

  /**
   * start begins; `known` is what was proved before this thread started, and `deadly` has the hashes of texts in whose proof
   * such a thread died: they are left `open`.
   */
  start(known: ProofNews, deadly: ReadonlySet<string>): void {
    this.#deadly = deadly;
    const { mode, defaultAlias } = this.#settings;
    const others = [...this.#databases.keys()].filter((alias) => alias !== defaultAlias);
    this.#units = new Units(mode, [defaultAlias, ...others], known.proofs);
    this.#ended = this.#run(this.#units);
  }

  /** scriptsChanged has the texts looked at now. */
  scriptsChanged(): void {
    this.#nextTexts = -Infinity;
    this.#wake?.();
  }

  /** close ends the proof in progress, and closes the databases. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const database of this.#databases.values()) database.close();
    this.#wake?.();
    await this.#ended;
  }

  async #run(units: Units): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#step(units);
      } catch (error) {
        this.#log.error({ err: error }, 'the prover of scripts failed');
        await this.#sleep(AFTER_ERROR);
      }
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Looks at what it is time for, then proves one text, or waits. */
  async #step(units: Units): Promise<void> {
    if (performance.now() >= this.#nextTexts) await this.#lookAtTexts(units);
    for (const database of this.#watched.values())
      if (performance.now() >= database.nextLook) {
        const since = await database.look();
        if (since !== undefined) this.#check(units, database, since);
      }
    if (this.#isClosed) return;
    const unit = this.#next(units);
    // Those that are proved again are not waited for.
    if (unit === undefined || unit.isProved) this.#news.end(isComplete(units));
    if (unit !== undefined) {
      this.#round ??= { began: performance.now(), reported: 0 };
      await this.#prove(unit);
      this.#news.pass();
      return;
    }
    await this.#endRound(units);
    await this.#sleep(this.#nextTime(units) - performance.now());
  }

  async #lookAtTexts(units: Units): Promise<void> {
    // A call of scriptsChanged meanwhile makes it look again.
    this.#nextTexts = Infinity;
    const texts = await this.#source.read();
    await this.#misplaced?.look();
    const pause = Math.max(this.#pace.texts, this.#pace.part * this.#source.took);
    if (this.#nextTexts === Infinity) this.#nextTexts = performance.now() + pause;
    if (texts === undefined) {
      this.#logUnreadable();
      return;
    }
    this.#trouble.end();
    const { gone, made } = units.update(texts);
    for (const proof of gone) {
      const key = keyOf(proof);
      const holder = this.#holders.get(key);
      if (holder !== undefined && holder.current !== proof) continue;
      this.#holders.delete(key);
      this.#news.remove(proof);
    }
    for (const unit of made) this.#adopt(unit);
  }

  /** Without `require` the workers read the scripts too, and log it. */
  #logUnreadable(): void {
    const { unreadable: reason = '' } = this.#source;
    if (this.#isClosed || !this.#trouble.isNew(reason)) return;
    const level = this.#settings.mode === 'require' ? 'error' : 'debug';
    this.#log[level](`the scripts cannot be read to be proved: ${reason}`);
  }

  /** Takes over what is known of a new unit. */
  #adopt(unit: Unit): void {
    this.#logWarnings(unit);
    const { current } = unit;
    if (current === undefined) return;
    this.#holders.set(keyOf(current), unit);
    if (!unit.isProved) return;
    const serves = this.#serves(unit, current, current);
    if (serves !== current.serves || current.own !== unit.own)
      this.#publish(unit, { ...current, serves, own: unit.own });
    for (const database of this.#watched.values())
      if (database.isAvailable) this.#checkUnit(unit, database, () => undefined);
  }

  /** With `require` the workers know the texts from here alone: what they would warn of is logged here. */
  #logWarnings({ script, verb, own, compiled, aliases }: Unit): void {
    if (this.#settings.mode === 'warn' || compiled instanceof ServiceError) return;
    if (own === undefined && aliases[0] !== this.#settings.defaultAlias) return;
    const more = own === undefined ? undefined : { database: own };
    logCompiled(this.#log, script, verb, compiled, more);
  }

  #check(units: Units, database: WatchedDatabase, since: Since): void {
    for (const unit of units) this.#checkUnit(unit, database, since);
  }

  /** Has a unit proved again whose proof does not hold any more on a database, or that was not proved on it yet. */
  #checkUnit(unit: Unit, database: WatchedDatabase, since: Since): void {
    const { current, aliases } = unit;
    if (!unit.isProved || current!.basis === undefined || !aliases.includes(database.alias)) return;
    const { record, basis } = current!;
    const rests = basis!.find(({ alias }) => alias === database.alias);
    if (rests === undefined) {
      if (record.verdict === 'broken' && basis!.length > 0) unit.again(undefined);
    } else if (!database.isCurrent(rests, unit.text)) {
      unit.again(since(rests.names, unit.text));
    }
  }

  /** The next text that can be proved; those that were never proved come first. */
  #next(units: Units): Unit | undefined {
    const now = performance.now();
    let again: Unit | undefined;
    for (const unit of units) {
      if (!unit.isPending || unit.retryAt > now) continue;
      const isPossible =
        unit.compiled instanceof ServiceError || this.#watched.get(unit.aliases[0]!)!.isAvailable;
      if (!isPossible) continue;
      if (!unit.isProved) return unit;
      again ??= unit;
    }
    return again;
  }

  async #prove(unit: Unit): Promise<void> {
    const { script, verb, hash, isProved } = unit;
    let proof: UnitProof | undefined;
    this.#proving(hash);
    try {
      if (this.#deadly.has(hash)) throw new Error('the prover died during its proof');
      proof = await this.#prover.prove(unit);
      const reason = proof?.basis === undefined ? proof?.record.open[0]?.what : undefined;
      if (!isProved && reason !== undefined)
        this.#log.warn({ script, verb }, `the script is not proved: ${reason}`);
    } catch (error) {
      if (!isProved) this.#log.error({ err: error, script, verb }, 'a script cannot be proved');
      proof = unprovable(unit);
    }
    this.#proving(undefined);
    if (proof === undefined || this.#isClosed) return;
    const isHeldUp = proof.basis === undefined;
    // Until it can be proved again, what is known of the same text is better than nothing.
    if (!isHeldUp || !unit.isProved) this.#take(unit, proof);
    unit.done(isHeldUp);
  }

  #take(unit: Unit, { alias, record, basis }: UnitProof): void {
    const { script, verb, own, hash, current } = unit;
    const serves = this.#serves(unit, current, { record, basis });
    const proof: ServedProof = { alias, script, verb, text: hash, own, record, basis, serves };
    this.#proofLog.proved(current, proof, unit.since, unit.source);
    this.#publish(unit, proof);
  }

  /** The template that is to be served: neither a broken text nor one that waits for its proof replaces the last good one. */
  #serves(
    unit: Unit,
    before: ServedProof | undefined,
    { record, basis }: Pick<ServedProof, 'record' | 'basis'>,
  ): string | undefined {
    if (this.#settings.mode === 'warn') return undefined;
    return record.verdict === 'broken' || basis === undefined ? before?.serves : unit.text;
  }

  #publish(unit: Unit, proof: ServedProof): void {
    const key = keyOf(proof);
    if (unit.current !== undefined) {
      const last = keyOf(unit.current);
      if (last !== key && this.#holders.get(last) === unit) {
        this.#holders.delete(last);
        this.#news.remove(unit.current);
      }
    }
    unit.current = proof;
    this.#holders.set(key, unit);
    this.#news.add(proof);
    if (this.#round !== undefined) this.#round.reported++;
  }

  async #endRound(units: Units): Promise<void> {
    const round = this.#round;
    this.#round = undefined;
    const isFirst = isComplete(units) && !this.#hasRound;
    if (!isFirst && (round === undefined || round.reported === 0)) return;
    this.#hasRound ||= isFirst;
    const proofs = [...units].flatMap(({ current }) => current ?? []);
    this.#proofLog.round(proofs, round === undefined ? 0 : performance.now() - round.began);
    await this.#shared?.clean();
  }

  #nextTime(units: Units): number {
    let next = this.#nextTexts;
    for (const { nextLook } of this.#watched.values()) next = Math.min(next, nextLook);
    for (const { isPending, retryAt } of units)
      if (isPending && retryAt > performance.now()) next = Math.min(next, retryAt);
    return next;
  }

  /** Waits for some ms, or until there is something to do. */
  async #sleep(time: number): Promise<void> {
    if (this.#isClosed || time <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** Whether every text was proved, or could not be because of a lock. */
function isComplete(units: Units): boolean {
  return units.isListed && [...units].every((unit) => unit.isProved);
}
