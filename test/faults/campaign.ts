/** Tries one fault several times under load and judges what came of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Injected, Scene } from './fault.js';
import { Ledger, type Judgement } from './ledger.js';
import { HTTP_TIMEOUT, Load } from './load.js';
import type { Tally } from './outcomes.js';
import type { Random } from '../../bench/random.js';
import { MIX } from './requests.js';
import type { Site } from './site.js';

const CLIENTS = 32;
/** Good answers in a row after which the service counts as recovered. */
const STREAK = 20;
/** Good answers in a row without which the fault is not tried again. */
const STEADY = 300;
/** Milliseconds after the end of a fault in which the service must have recovered. */
const RECOVERY_LIMIT = HTTP_TIMEOUT + 8_000;
/** Most milliseconds that a fault takes to begin, or to end. */
const STEP_LIMIT = 60_000;
const LASTS: readonly [number, number] = [200, 600];

/** What came of one fault. */
export interface Result {
  readonly name: string;
  readonly times: number;
  readonly tally: Tally;
  readonly lost: number;
  readonly doubled: number;
  /** Milliseconds, of each time that it was tried; undefined when the service did not recover. */
  readonly recovery: readonly (number | undefined)[];
  /** Why the fault counts as not survived; empty when it was. */
  readonly findings: readonly string[];
}

export class Campaign {
  readonly #site: Site;
  readonly #random: Random;
  readonly #rounds: number;
  readonly #ledger = new Ledger();
  #next = 0;

  constructor(site: Site, random: Random, rounds: number) {
    this.#site = site;
    this.#random = random;
    this.#rounds = rounds;
  }

  /** run tries a fault; whatever becomes of the service, the next fault finds one that works. */
  async run(fault: Fault): Promise<Result> {
    if (fault.fresh) await this.#site.renew();
    const first = this.#next;
    const load = this.#load(fault);
    const recovery: (number | undefined)[] = [];
    const findings: string[] = [];
    const times = fault.times ?? this.#rounds;
    try {
      if ((await load.streak(STEADY, RECOVERY_LIMIT)) === undefined)
        throw new Error('the service does not answer before the fault');
      while (recovery.length < times && !recovery.includes(undefined))
        recovery.push(await this.#once(fault, load));
    } catch (error) {
      findings.push(`the campaign failed: ${String(error)}`);
    }
    await load.stop();
    await this.#site.quiet();
    const judged = this.#ledger.judge(await this.#site.written(first), first);
    const { tally } = load;
    for (const [what, numbers] of Object.entries(judged) as [string, number[]][])
      for (const n of numbers.slice(0, 2))
        tally.sample(`${what}: ${n}, answered ${this.#ledger.replyTo(n)}`);
    tally.wrong += judged.denied.length + (await this.#site.miscounted());
    const result = { name: fault.name, times: recovery.length, tally, recovery };
    const [lost, doubled] = [judged.lost.length, judged.doubled.length];
    findings.push(...this.#findings(fault, { ...result, lost, doubled }));
    if (findings.length > 0) await this.#site.renew();
    return { ...result, lost, doubled, findings };
  }

  /** judgeAll compares every write of the campaign once more, for what the database did later. */
  async judgeAll(): Promise<Judgement> {
    return this.#ledger.judge(await this.#site.written(0));
  }

  #load({ requests = [], mayCut = false }: Fault): Load {
    return new Load({
      port: () => this.#site.port,
      clients: CLIENTS,
      kinds: [...MIX, ...requests],
      random: this.#random,
      ledger: this.#ledger,
      next: () => this.#next++,
      mayCut,
    });
  }

  /** Tries the fault once and gives the milliseconds that the service took to recover. */
  async #once(fault: Fault, load: Load): Promise<number | undefined> {
    const [site, random, ledger] = [this.#site, this.#random, this.#ledger];
    const scene: Scene = { site, load, ledger, random, next: () => this.#next++ };
    await sleep(random.between(50, 300));
    const injected: Injected =
      (await within(fault.inject(scene) as Promise<Injected | undefined>)) ?? {};
    try {
      await sleep(random.between(...(fault.lasts ?? (injected.recover ? LASTS : [0, 0]))));
      await within(Promise.resolve(injected.recover?.()));
      const took = await load.streak(STREAK, RECOVERY_LIMIT);
      // What a lasting fault holds up is only seen to be lost when its time is over.
      if (injected.clear && !injected.recover) await sleep(HTTP_TIMEOUT + 500);
      const steady = took !== undefined && (await load.streak(STEADY, RECOVERY_LIMIT));
      return steady === undefined || steady === false ? undefined : took;
    } finally {
      await within(Promise.resolve(injected.clear?.()));
    }
  }

  #findings(
    { unnoticed = false }: Fault,
    { tally, recovery, lost, doubled }: Omit<Result, 'findings'>,
  ): string[] {
    const found: readonly (readonly [boolean, string])[] = [
      [tally.wrong > 0, 'wrong answers'],
      [lost > 0, 'lost writes'],
      [doubled > 0, 'doubled writes'],
      [tally.hung > 0, 'requests without an answer'],
      [recovery.includes(undefined), 'no recovery'],
      [this.#site.ended, 'the service ended'],
      [unnoticed && !tally.unnoticed, 'errors where there must be none'],
    ];
    return found.filter(([is]) => is).map(([, what]) => what);
  }
}

/** within waits for a step of a fault. Throws when it takes too long, so that the campaign ends in any case. */
async function within<T>(step: Promise<T | undefined>): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(STEP_LIMIT, undefined, { signal: over.signal }).then(() => {
    throw new Error(`the fault does not go on after ${STEP_LIMIT / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([step, late]);
  } finally {
    over.abort();
  }
}
