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
import type { ProofUpdate, ServedProof } from '../../messages/proofs.js';
import { logCompiled } from '../../script/warnings/text-warnings.js';
import type { ProverSettings } from '../../messages/prover-settings.js';
import { MisplacedFiles } from './misplaced-files.js';
import { ProofLog } from './proof-log.js';
import { UpdateCollector } from './proof-updates.js';
import type { ProofStore } from './proof-store.js';
import type { TextSource } from './served-texts.js';
import { PacingByActivity, type PacingRatios } from './pacing.js';
import { unprovable, JobProver, type JobProof } from './job-proof.js';
import { keyOf, ProofJobs, type ProofJob } from './proof-jobs.js';
import { WatchedDatabase, type LookPace, type Since } from './watched-database.js';

export interface Pace extends LookPace {
  /** The shortest time between two looks at the texts, ms. */
  readonly texts: number;
  readonly pacing: PacingRatios;
}

const PACE: Readonly<Record<ProverSettings['mode'], Pace>> = {
  warn: { texts: 2_000, catalogs: 3_000, part: 100, pacing: { idle: 1, busy: 150, brief: 4 } },
  // Changes wait for their proof.
  require: { texts: 800, catalogs: 3_000, part: 100, pacing: { idle: 1, busy: 150, brief: 4 } },
};

/** In development mode: who saves a script waits for what is found. */
const DEVELOPMENT: Pace = { texts: 100, catalogs: 500, part: 10, pacing: { idle: 1, busy: 4 } };

export interface ProverCallbacks {
  /** Gets what is new. */
  readonly report: (update: ProofUpdate) => void;
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
  readonly #updates: UpdateCollector;
  readonly #proving: ProverCallbacks['proving'];
  #deadly: ReadonlySet<string> = new Set();
  readonly #pace: Pace;
  readonly #source: TextSource;
  readonly #watched: ReadonlyMap<string, WatchedDatabase>;
  readonly #shared: ProofStore | undefined;
  /** In development mode, unless scripts are in a table. */
  readonly #misplaced: MisplacedFiles | undefined;
  readonly #prover: JobProver;
  readonly #trouble = new LogOnce();
  readonly #closing = new AbortController();
  #jobs: ProofJobs | undefined;
  /** The job whose proof was reported under a key. */
  readonly #holders = new Map<string, ProofJob>();
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
    this.#updates = new UpdateCollector(report);
    this.#proving = proving;
    this.#pace = pace;
    this.#source = texts;
    this.#shared = shared;
    const { signal } = this.#closing;
    const isUrgent = (): boolean => settings.mode === 'require' && !this.#updates.isComplete;
    const pacing = new PacingByActivity(settings.activity, pace.pacing, isUrgent, signal);
    this.#watched = new Map(
      [...databases].map(([alias, database]) => [
        alias,
        new WatchedDatabase(database, settings, pace, pacing, signal, log),
      ]),
    );
    if (settings.development && settings.scriptsTable === undefined)
      this.#misplaced = new MisplacedFiles(settings.scripts, log);
    this.#prover = new JobProver(this.#watched, shared);
  }

  /**
   * start begins; `known` is what was proved before this thread started, and `deadly` has the hashes of texts in whose proof
   * such a thread died: they are left `open`.
   */
  start(known: ProofUpdate, deadly: ReadonlySet<string>): void {
    this.#deadly = deadly;
    const { mode, defaultAlias } = this.#settings;
    const others = [...this.#databases.keys()].filter((alias) => alias !== defaultAlias);
    this.#jobs = new ProofJobs(mode, [defaultAlias, ...others], known.proofs);
    this.#ended = this.#run(this.#jobs);
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

  async #run(jobs: ProofJobs): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#step(jobs);
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
  async #step(jobs: ProofJobs): Promise<void> {
    if (performance.now() >= this.#nextTexts) await this.#lookAtTexts(jobs);
    for (const database of this.#watched.values())
      if (performance.now() >= database.nextLook) {
        const since = await database.look();
        if (since !== undefined) this.#check(jobs, database, since);
      }
    if (this.#isClosed) return;
    const job = this.#next(jobs);
    // Those that are proved again are not waited for.
    if (job === undefined || job.isProved) this.#updates.end(isComplete(jobs));
    if (job !== undefined) {
      this.#round ??= { began: performance.now(), reported: 0 };
      await this.#prove(job);
      this.#updates.pass();
      return;
    }
    await this.#endRound(jobs);
    await this.#sleep(this.#nextTime(jobs) - performance.now());
  }

  async #lookAtTexts(jobs: ProofJobs): Promise<void> {
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
    const { gone, made } = jobs.update(texts);
    for (const proof of gone) {
      const key = keyOf(proof);
      const holder = this.#holders.get(key);
      if (holder !== undefined && holder.current !== proof) continue;
      this.#holders.delete(key);
      this.#updates.remove(proof);
    }
    for (const job of made) this.#adopt(job);
  }

  /** Without `require` the workers read the scripts too, and log it. */
  #logUnreadable(): void {
    const { unreadable: reason = '' } = this.#source;
    if (this.#isClosed || !this.#trouble.isNew(reason)) return;
    const level = this.#settings.mode === 'require' ? 'error' : 'debug';
    this.#log[level](`the scripts cannot be read to be proved: ${reason}`);
  }

  /** Takes over what is known of a new job. */
  #adopt(job: ProofJob): void {
    this.#logWarnings(job);
    const { current } = job;
    if (current === undefined) return;
    this.#holders.set(keyOf(current), job);
    if (!job.isProved) return;
    const serves = this.#serves(job, current, current);
    if (serves !== current.serves || current.own !== job.own)
      this.#publish(job, { ...current, serves, own: job.own });
    for (const database of this.#watched.values())
      if (database.isAvailable) this.#checkJob(job, database, () => undefined);
  }

  /** With `require` the workers know the texts from here alone: what they would warn of is logged here. */
  #logWarnings({ script, verb, own, compiled, aliases }: ProofJob): void {
    if (this.#settings.mode === 'warn' || compiled instanceof ServiceError) return;
    if (own === undefined && aliases[0] !== this.#settings.defaultAlias) return;
    const more = own === undefined ? undefined : { database: own };
    logCompiled(this.#log, script, verb, compiled, more);
  }

  #check(jobs: ProofJobs, database: WatchedDatabase, since: Since): void {
    for (const job of jobs) this.#checkJob(job, database, since);
  }

  /** Has a job proved again whose proof does not hold any more on a database, or that was not proved on it yet. */
  #checkJob(job: ProofJob, database: WatchedDatabase, since: Since): void {
    const { current, aliases } = job;
    if (!job.isProved || current!.basis === undefined || !aliases.includes(database.alias)) return;
    const { record, basis } = current!;
    const fingerprint = basis!.find(({ alias }) => alias === database.alias);
    if (fingerprint === undefined) {
      if (record.verdict === 'broken' && basis!.length > 0) job.again(undefined);
    } else if (!database.isCurrent(fingerprint, job.text)) {
      job.again(since(fingerprint.names, job.text));
    }
  }

  /** The next text that can be proved; those that were never proved come first. */
  #next(jobs: ProofJobs): ProofJob | undefined {
    const now = performance.now();
    let again: ProofJob | undefined;
    for (const job of jobs) {
      if (!job.isPending || job.retryAt > now) continue;
      const isPossible =
        job.compiled instanceof ServiceError || this.#watched.get(job.aliases[0]!)!.isAvailable;
      if (!isPossible) continue;
      if (!job.isProved) return job;
      again ??= job;
    }
    return again;
  }

  async #prove(job: ProofJob): Promise<void> {
    const { script, verb, hash, isProved } = job;
    let proof: JobProof | undefined;
    this.#proving(hash);
    try {
      if (this.#deadly.has(hash)) throw new Error('the prover died during its proof');
      proof = await this.#prover.prove(job);
      const reason = proof?.basis === undefined ? proof?.record.open[0]?.what : undefined;
      if (!isProved && reason !== undefined)
        this.#log.warn({ script, verb }, `the script is not proved: ${reason}`);
    } catch (error) {
      if (!isProved) this.#log.error({ err: error, script, verb }, 'a script cannot be proved');
      proof = unprovable(job);
    }
    this.#proving(undefined);
    if (proof === undefined || this.#isClosed) return;
    const isBlocked = proof.basis === undefined;
    // Until it can be proved again, what is known of the same text is better than nothing.
    if (!isBlocked || !job.isProved) this.#take(job, proof);
    job.done(isBlocked);
  }

  #take(job: ProofJob, { alias, record, basis }: JobProof): void {
    const { script, verb, own, hash, current } = job;
    const serves = this.#serves(job, current, { record, basis });
    const proof: ServedProof = { alias, script, verb, text: hash, own, record, basis, serves };
    this.#proofLog.proved(current, proof, job.since, job.source);
    this.#publish(job, proof);
  }

  /** The template that is to be served: neither a broken text nor one that waits for its proof replaces the last good one. */
  #serves(
    job: ProofJob,
    before: ServedProof | undefined,
    { record, basis }: Pick<ServedProof, 'record' | 'basis'>,
  ): string | undefined {
    if (this.#settings.mode === 'warn') return undefined;
    return record.verdict === 'broken' || basis === undefined ? before?.serves : job.text;
  }

  #publish(job: ProofJob, proof: ServedProof): void {
    const key = keyOf(proof);
    if (job.current !== undefined) {
      const last = keyOf(job.current);
      if (last !== key && this.#holders.get(last) === job) {
        this.#holders.delete(last);
        this.#updates.remove(job.current);
      }
    }
    job.current = proof;
    this.#holders.set(key, job);
    this.#updates.add(proof);
    if (this.#round !== undefined) this.#round.reported++;
  }

  async #endRound(jobs: ProofJobs): Promise<void> {
    const round = this.#round;
    this.#round = undefined;
    const isFirst = isComplete(jobs) && !this.#hasRound;
    if (!isFirst && (round === undefined || round.reported === 0)) return;
    this.#hasRound ||= isFirst;
    const proofs = [...jobs].flatMap(({ current }) => current ?? []);
    this.#proofLog.round(proofs, round === undefined ? 0 : performance.now() - round.began);
    await this.#shared?.clean();
  }

  #nextTime(jobs: ProofJobs): number {
    let next = this.#nextTexts;
    for (const { nextLook } of this.#watched.values()) next = Math.min(next, nextLook);
    for (const { isPending, retryAt } of jobs)
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
function isComplete(jobs: ProofJobs): boolean {
  return jobs.isListed && [...jobs].every((job) => job.isProved);
}
