/**
 * What is to be proved, and what is known of it. With `require` each text is proved on every database under which it is
 * served; with `warn` on one for which it is meant.
 */
import { performance } from 'node:perf_hooks';
import { Backoff } from '../../base/backoff.js';
import { ServiceError } from '../../base/errors.js';
import type { ProofKey, ServedProof } from '../../messages/proofs.js';
import { sourceOf } from '../../script/script-error.js';
import type { Compiled } from '../../script/script-text.js';
import type { Verb } from '../../script/verb.js';
import { targetDatabases } from './target-databases.js';
import { hashOf, type ServedText, type ServedTexts } from './served-texts.js';

/** Waits before a text is proved again of which a statement was not parsed in time, ms. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

/** A text with the databases on which it is proved: on the first one where it is not broken. */
export class ProofJob {
  readonly script: string;
  readonly verb: Verb;
  readonly own: string | undefined;
  readonly aliases: readonly string[];
  /** See hashOf. */
  readonly hash: string;
  compiled: Compiled;
  /** The last proof, of this text or one before it. */
  current: ServedProof | undefined;
  isPending: boolean;
  /** Why it is proved again. */
  since: string | undefined;
  /** Not before this time, performance.now(). */
  retryAt = -Infinity;
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);

  constructor(
    { script, verb, own, compiled }: ServedText,
    aliases: readonly string[],
    current: ServedProof | undefined,
  ) {
    this.script = script;
    this.verb = verb;
    this.own = own;
    this.aliases = aliases;
    this.hash = hashOf(compiled);
    this.compiled = compiled;
    this.current = current;
    this.isPending = !this.isProved || current!.basis === undefined;
  }

  /** Whether `current` is the proof of its text. */
  get isProved(): boolean {
    const { current, hash, aliases } = this;
    return current?.text === hash && aliases.includes(current.alias);
  }

  /** The text of its template; empty when it cannot be used. */
  get text(): string {
    return this.compiled instanceof ServiceError ? '' : this.compiled.template.text;
  }

  /** The text of its script as far as that is known, for lines around a place. */
  get source(): string | undefined {
    return this.compiled instanceof ServiceError ? sourceOf(this.compiled) : this.text;
  }

  /** done ends its proof, or puts another attempt off. */
  done(isBlocked: boolean): void {
    this.isPending = isBlocked;
    if (isBlocked) {
      this.retryAt = performance.now() + this.#backoff.next();
      return;
    }
    this.since = undefined;
    this.retryAt = -Infinity;
    this.#backoff.reset();
  }

  /** again has it proved again. */
  again(since: string | undefined): void {
    this.isPending = true;
    this.since ??= since;
  }
}

export class ProofJobs {
  readonly #mode: 'warn' | 'require';
  readonly #aliases: readonly string[];
  /** What was proved before, until all texts are known. */
  readonly #known: Map<string, ServedProof>;
  #jobs = new Map<string, ProofJob>();
  #texts: ServedTexts | undefined;

  /** `aliases` are those of all databases, the default one first. */
  constructor(mode: 'warn' | 'require', aliases: readonly string[], known: readonly ServedProof[]) {
    this.#mode = mode;
    this.#aliases = aliases;
    this.#known = new Map(known.map((proof) => [keyOf(proof), proof]));
  }

  /** Whether all texts were listed once. */
  get isListed(): boolean {
    return this.#texts !== undefined;
  }

  get size(): number {
    return this.#jobs.size;
  }

  [Symbol.iterator](): IterableIterator<ProofJob> {
    return this.#jobs.values();
  }

  /** update takes the texts as they are now. It gives the proofs that are no job's any more, and the jobs that are new. */
  update(texts: ServedTexts): {
    readonly gone: readonly ServedProof[];
    readonly made: readonly ProofJob[];
  } {
    if (texts === this.#texts) return { gone: [], made: [] };
    const before = this.#jobs;
    const jobs = new Map<string, ProofJob>();
    const made: ProofJob[] = [];
    for (const text of texts.texts)
      for (const aliases of this.#targets(text, texts.own)) {
        const name = this.#nameOf(text, aliases);
        const old = before.get(name);
        if (old?.aliases.join() === aliases.join() && isSame(old, text)) {
          jobs.set(name, old);
          continue;
        }
        const job = new ProofJob(
          text,
          aliases,
          old === undefined ? this.#knownOf(text, aliases) : old.current,
        );
        jobs.set(name, job);
        made.push(job);
      }
    this.#jobs = jobs;
    const kept = new Set([...jobs.values()].flatMap(({ current }) => current ?? []));
    const last = this.#texts === undefined ? this.#known.values() : currentOf(before.values());
    const gone = [...last].filter((proof) => !kept.has(proof));
    this.#texts = texts;
    this.#known.clear();
    return { gone, made };
  }

  /** The databases on which a text is proved, a list for each job. */
  #targets(
    { script, own, compiled }: ServedText,
    owned: ReadonlySet<string>,
  ): readonly (readonly string[])[] {
    if (own !== undefined) return this.#aliases.includes(own) ? [[own]] : [];
    // Other requests than those for its own path reach it on every database.
    const head =
      this.#mode === 'require' || compiled instanceof ServiceError ? undefined : compiled.head;
    const meant = targetDatabases(this.#aliases, owned, script, head);
    if (this.#mode === 'require') return meant.map((alias) => [alias]);
    return meant.length === 0 ? [] : [meant];
  }

  #nameOf({ script, verb, own }: ServedText, aliases: readonly string[]): string {
    return `${this.#mode === 'require' ? aliases[0] : (own ?? '')}/${script}.${verb}`;
  }

  #knownOf({ script, verb, own }: ServedText, aliases: readonly string[]): ServedProof | undefined {
    const known = aliases.flatMap((alias) => this.#known.get(keyOf({ alias, script, verb })) ?? []);
    return known.find((proof) => proof.own === own);
  }
}

/** Whether a job has a text already; it then has the newest object with it. */
function isSame(job: ProofJob, { compiled }: ServedText): boolean {
  if (job.compiled === compiled) return true;
  if (job.hash !== hashOf(compiled)) return false;
  job.compiled = compiled;
  return true;
}

function* currentOf(jobs: Iterable<ProofJob>): Generator<ServedProof> {
  for (const { current } of jobs) if (current !== undefined) yield current;
}

/** keyOf gives the key of a proof as a text. */
export function keyOf({ alias, script, verb }: ProofKey): string {
  return `${alias}/${script}.${verb}`;
}
