/**
 * Hands the connections to PostgreSQL over from old to new HTTP processes during a reload, so that all together never hold
 * more than configured. The old ones keep at most half of theirs, and at least one per thread, to finish their requests;
 * those they close go to the new ones, and the rest once the old ones have exited.
 */
import { connectionsOf, type Connections } from '../../messages/ipc.js';
import { allServers } from '../../messages/database-settings.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import type { HttpProcessSlot } from './http-process-slot.js';

export class ConnectionHandover {
  /** The running old HTTP processes, with the most connections that each may hold. */
  readonly #old = new Map<HttpProcessSlot, Connections>();
  readonly #configured: readonly HttpSettings[];
  readonly #new: HttpProcessSlot[] = [];

  /** Reduces the quotas of the old HTTP processes; `configured` are the settings of the new ones. */
  constructor(old: Iterable<HttpProcessSlot>, configured: readonly HttpSettings[]) {
    this.#configured = configured;
    for (const slot of old) this.#old.set(slot, totals([slot.settings]));
    const before = totals(Array.from(this.#old.keys(), ({ settings }) => settings));
    const after = totals(configured);
    for (const slot of this.#old.keys()) {
      slot.onConnections = (connections) => {
        if (this.#old.has(slot)) this.#old.set(slot, connections);
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

  /** none is the quota that a new HTTP process starts with. */
  none(settings: HttpSettings): Connections {
    return eachOf(settings, () => 0);
  }

  /** add adds a new HTTP process, in the order of the settings. */
  add(slot: HttpProcessSlot): void {
    this.#new.push(slot);
    this.#grant();
  }

  /** undo restores the quotas of the old HTTP processes, once the new ones have exited. */
  undo(): void {
    for (const slot of this.#old.keys()) {
      slot.onConnections = () => undefined;
      slot.allow(eachOf(slot.settings, (_alias, each) => each));
    }
    this.#old.clear();
    this.#new.length = 0;
  }

  /** Divides the free connections equally among the new HTTP processes. */
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
        for (const { alias, connections } of allServers(settings.worker)) {
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

/** `number` gets the alias of a database, or of a replica, and the connections configured for each thread. */
function eachOf(
  { worker }: HttpSettings,
  number: (alias: string, each: number) => number,
): Connections {
  return Object.fromEntries(
    allServers(worker).map(({ alias, connections }) => [alias, number(alias, connections)]),
  );
}

/** totals gives the configured connections of all threads of the HTTP processes. */
export function totals(httpProcesses: readonly HttpSettings[]): Connections {
  return sum(
    httpProcesses.map((settings) => eachOf(settings, (_alias, each) => each * settings.threads)),
  );
}

function sum(parts: Iterable<Connections>): Record<string, number> {
  const all = new Map<string, number>();
  for (const part of parts)
    for (const [alias, n] of Object.entries(part)) all.set(alias, (all.get(alias) ?? 0) + n);
  return Object.fromEntries(all);
}
