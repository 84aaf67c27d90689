/**
 * How far replicas are behind: the bytes of WAL between the primary's position and theirs, and the time since the primary
 * was first seen behind theirs. Both are measured here, by one clock; nothing is behind a primary that writes nothing.
 * While the primary is not seen, time stands still: a replica that is behind stays as far behind as it was.
 */
export interface LagLimit {
  readonly bytes?: number | undefined;
  /** ms. */
  readonly time?: number | undefined;
}

interface Sample {
  /** When the primary was first seen there, ms. */
  readonly at: number;
  readonly lsn: bigint;
}

/** Beyond the limit, samples may be so far apart, as a part of their age: that is the error of a time over the limit. */
const APART = 1 / 16;

/** Samples that are kept until the first ones are dropped. */
const FEW = 64;

export class ReplicaLag {
  readonly #limit: LagLimit;
  /** Positions of the primary, the oldest first. Those that tell what is over the limit are all kept. */
  #samples: Sample[] = [];
  /** With so many samples, some are dropped. */
  #most = FEW;
  #seenAt = 0;

  constructor(limit: LagLimit) {
    this.#limit = limit;
  }

  /** primaryAt notes where the primary is at time `now`, ms. */
  primaryAt(lsn: bigint, now: number): void {
    this.#seenAt = now;
    const last = this.#samples.at(-1);
    // A primary behind where it was is another one: what was seen of the one before says nothing.
    if (last !== undefined && lsn < last.lsn) this.#samples = [];
    if (lsn !== last?.lsn) this.#samples.push({ at: now, lsn });
    if (this.#samples.length > this.#most) this.#thin(now);
  }

  /** Where the primary was seen last; undefined before that. */
  get primary(): bigint | undefined {
    return this.#samples.at(-1)?.lsn;
  }

  /** bytes is how far a replica that has replayed up to `lsn` is behind. */
  bytes(lsn: bigint): number {
    const { primary } = this;
    return primary === undefined || lsn >= primary ? 0 : Number(primary - lsn);
  }

  /** time is the same in ms: at most as long as the primary has been watched. */
  time(lsn: bigint): number {
    const { primary } = this;
    if (primary === undefined || lsn >= primary) return 0;
    const first = this.#samples[this.#samples.findLastIndex((sample) => sample.lsn <= lsn) + 1]!;
    return this.#seenAt - first.at;
  }

  /**
   * behind tells by how much of the limit a replica that has replayed up to `lsn` is behind: more than 1 is over it.
   */
  behind(lsn: bigint): number {
    const { bytes, time } = this.#limit;
    return bytes === undefined ? this.time(lsn) / time! : this.bytes(lsn) / bytes;
  }

  #thin(now: number): void {
    const { time = 0 } = this.#limit;
    const kept: Sample[] = [];
    this.#samples.forEach((sample, i) => {
      const before = kept.at(-1);
      const next = this.#samples[i + 1];
      const age = next === undefined ? 0 : now - next.at;
      const drops = before !== undefined && age > time && next!.at - before.at < age * APART;
      if (!drops) kept.push(sample);
    });
    this.#samples = kept;
    this.#most = 2 * kept.length + FEW;
  }
}
