/** The HTTP processes of a service: the current ones, those being started and those being drained. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from '../../messages/ipc.js';
import type { Logger } from '../../observe/log.js';
import type { HttpSettings, TlsSettings } from '../../messages/http-settings.js';
import type { ConnectionHandover } from './connection-handover.js';
import type { SharedState } from './http-process-handle.js';
import { HttpProcessSlot } from './http-process-slot.js';
import { ServedProofs } from './served-proofs.js';

/** An HTTP process that is still running so long after its grace period is killed (milliseconds). */
const OVERDUE = 1_000;

/** How long HTTP processes may take to stop listening (milliseconds) before the others are drained. */
const STOP_LISTENING = 1_000;

export class HttpProcessGroup {
  /** The ones that serve requests. */
  current: readonly HttpProcessSlot[] = [];
  /** Whether no request has been cut off. */
  clean = true;
  readonly #shared: SharedState;
  readonly #log: Logger;
  /** Those of the current ones. */
  #proofs: ServedProofs | undefined;
  /** All slots whose process has not exited. */
  readonly #slots = new Set<HttpProcessSlot>();

  constructor(shared: SharedState, log: Logger) {
    this.#shared = shared;
    this.#log = log;
  }

  /**
   * start starts HTTP processes on one port and makes them the current ones once all accept connections. Resolves to the
   * port: the first process picks one when `port` is 0. Resolves to undefined when `isStopping` becomes true meanwhile;
   * rejects when one of them cannot start.
   */
  async start(
    httpProcesses: readonly HttpSettings[],
    address: { readonly port: number; readonly tls: TlsSettings | undefined },
    handover: ConnectionHandover | undefined,
    isStopping: () => boolean,
  ): Promise<number | undefined> {
    const [first, ...rest] = httpProcesses;
    if (first === undefined) throw new Error('no HTTP process is configured');
    const slots: HttpProcessSlot[] = [];
    // Those that are drained keep theirs: what their prover still reports is not for the new ones.
    const proofs = new ServedProofs(httpProcesses, this.#proofs);
    const start = (settings: HttpSettings): void => {
      const slot = this.#add(settings, proofs, handover?.none(settings));
      slots.push(slot);
      handover?.add(slot);
    };
    start({ ...first, ...address });
    const port = address.port === 0 ? await slots[0]!.listening() : address.port;
    if (isStopping()) return undefined;
    for (const settings of rest) start({ ...settings, ...address, port });
    await Promise.all(slots.map((slot) => slot.listening()));
    this.current = slots;
    this.#proofs = proofs;
    return port;
  }

  scriptsChanged(): void {
    for (const slot of this.#slots) slot.scriptsChanged();
  }

  /**
   * drain ends HTTP processes once they have finished their requests; by default all of them. Clients whose connections are
   * closed reconnect at once, and connections that wait at a socket are reset when it closes: so all processes stop
   * listening before the first is drained.
   */
  async drain(slots: readonly HttpProcessSlot[] = [...this.#slots]): Promise<void> {
    for (const slot of slots) {
      const overdue = setTimeout(() => slot.kill(), slot.settings.grace + OVERDUE);
      void slot.ended.then(() => clearTimeout(overdue));
    }
    const stopped = Promise.all(slots.map((slot) => slot.stopListening()));
    await Promise.race([stopped, sleep(STOP_LISTENING, undefined, { ref: false })]);
    for (const slot of slots) slot.drain();
    await ended(slots);
  }

  kill(): void {
    for (const slot of this.#slots) slot.kill();
  }

  /** discard kills the HTTP processes that are not among `kept`, which have served no request. */
  async discard(kept: readonly HttpProcessSlot[]): Promise<void> {
    const discarded = Array.from(this.#slots).filter((slot) => !kept.includes(slot));
    for (const slot of discarded) slot.discard();
    await ended(discarded);
  }

  /** ended resolves when all HTTP processes have exited. */
  async ended(): Promise<void> {
    await ended(this.#slots);
  }

  #add(
    settings: HttpSettings,
    proofs: ServedProofs,
    connections: Connections | undefined,
  ): HttpProcessSlot {
    const slot = new HttpProcessSlot(settings, this.#log, this.#shared, proofs, connections);
    this.#slots.add(slot);
    slot.onCancelled = (calls) => {
      for (const other of this.#slots) if (other !== slot) other.cancelCalls(calls);
    };
    void slot.ended.then((clean) => {
      this.#slots.delete(slot);
      if (!clean) this.clean = false;
    });
    return slot;
  }
}

async function ended(slots: Iterable<HttpProcessSlot>): Promise<void> {
  await Promise.all(Array.from(slots, (slot) => slot.ended));
}
