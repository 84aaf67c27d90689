/**
 * The connections to PostgreSQL while a reload has old and new front ends side by side: all of them together never hold
 * more than configured. The old ones keep half of theirs at most (at least one a thread, for what they still have to
 * finish); what they give up, and the rest once they are gone, goes to the new ones.
 */
import { connectionsOf, type Connections, type FrontEndSettings } from '../protocol.js';
import type { FrontEndSlot } from './front-end-slot.js';

/** Handover shares the connections out from the beginning of a reload until the old front ends are gone. */
export class Handover {
  /** The old front ends that are there, with the connections each holds at most. */
  readonly #old = new Map<FrontEndSlot, Connections>();
  readonly #configured: readonly FrontEndSettings[];
  readonly #new: FrontEndSlot[] = [];

  /** Takes connections from the old front ends; `configured` is what is to replace them. */
  constructor(old: Iterable<FrontEndSlot>, configured: readonly FrontEndSettings[]) {
    this.#configured = configured;
    for (const slot of old) this.#old.set(slot, totals([slot.settings]));
    const before = totals(Array.from(this.#old.keys(), ({ settings }) => settings));
    const after = totals(configured);
    for (const slot of this.#old.keys()) {
      slot.onHolds = (held) => {
        if (this.#old.has(slot)) this.#old.set(slot, held);
        this.#grant();
      };
      void slot.ended.then(() => {
        this.#old.delete(slot);
        this.#grant();
      });
      slot.allow(
        eachOf(slot.settings, (alias, each) => {
          const all = before[alias]!;
          const half = Math.min(all, connectionsOf(after, alias) ?? all) / all / 2;
          return Math.max(1, Math.floor(each * half));
        }),
      );
    }
  }

  /** none is what a new front end starts with. */
  none(settings: FrontEndSettings): Connections {
    return eachOf(settings, () => 0);
  }

  /** add takes up a new front end, in the order of the settings. */
  add(slot: FrontEndSlot): void {
    this.#new.push(slot);
    this.#grant();
  }

  /** undo gives the old front ends back what they had, once the new ones are gone. */
  undo(): void {
    for (const slot of this.#old.keys()) {
      slot.onHolds = () => undefined;
      slot.allow(eachOf(slot.settings, (_alias, each) => each));
    }
    this.#old.clear();
    this.#new.length = 0;
  }

  /** Gives what is free to the new front ends, to all of them alike. */
  #grant(): void {
    const kept = sum(this.#old.values());
    const free = { ...totals(this.#configured) };
    for (const alias of Object.keys(free)) free[alias]! -= connectionsOf(kept, alias) ?? 0;
    const granted = this.#configured.map(
      (settings) => this.none(settings) as Record<string, number>,
    );
    for (let more = true; more;) {
      more = false;
      this.#configured.forEach((settings, i) => {
        for (const { alias, connections } of settings.worker.databases) {
          if (granted[i]![alias]! >= connections || free[alias]! < settings.threads) continue;
          granted[i]![alias]!++;
          free[alias]! -= settings.threads;
          more = true;
        }
      });
    }
    this.#new.forEach((slot, i) => slot.allow(granted[i]!));
  }
}

/** A number for each database of a front end, from its alias and the connections configured for each thread. */
function eachOf(
  { worker }: FrontEndSettings,
  number: (alias: string, each: number) => number,
): Connections {
  return Object.fromEntries(
    worker.databases.map(({ alias, connections }) => [alias, number(alias, connections)]),
  );
}

/** How many connections front ends may hold together, as configured. */
function totals(frontEnds: readonly FrontEndSettings[]): Connections {
  return sum(
    frontEnds.map((settings) => eachOf(settings, (_alias, each) => each * settings.threads)),
  );
}

function sum(parts: Iterable<Connections>): Record<string, number> {
  const all = new Map<string, number>();
  for (const part of parts)
    for (const [alias, n] of Object.entries(part)) all.set(alias, (all.get(alias) ?? 0) + n);
  return Object.fromEntries(all);
}
