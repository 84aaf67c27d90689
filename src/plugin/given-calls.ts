/**
 * What one carrier was given and has not answered: calls under numbers of its own (the front end's may come again while
 * a call that nobody waits for still runs), and the libraries it has. Bounds how many calls that are.
 */
import { packId } from '../protocol.js';
import { SlotTable } from '../slot-table.js';
import type { PluginCarrier } from './carrier.js';
import type { PlaceEvents } from './place.js';
import { packCall, RecordKind, type PluginCall, type PluginRecord } from './wire.js';

/** Most characters of packed calls in one message. */
const MESSAGE = 1 << 18;

/** Numbers that a SlotTable gives begin anew after this. */
const NUMBERS = 0x3fff_ffff;

/** A call that a carrier has. */
export interface GivenCall {
  readonly id: number;
  readonly call: PluginCall;
  /** Whether nobody waits for it any more. */
  abandoned: boolean;
}

/** GivenCalls hands calls to a carrier and passes on what it tells of them. */
export class GivenCalls {
  readonly #carrier: PluginCarrier;
  readonly #limit: number;
  readonly #events: PlaceEvents;
  readonly #calls: SlotTable<GivenCall>;
  readonly #libraries = new Set<string>();
  /** The number given last. */
  #last = 0;
  /** Calls that came back. */
  #returned: PluginCall[] = [];

  /** `limit` is the most calls at a time. */
  constructor(carrier: PluginCarrier, limit: number, events: PlaceEvents) {
    this.#carrier = carrier;
    this.#limit = limit;
    this.#events = events;
    this.#calls = new SlotTable(limit);
  }

  /** size is how many calls the carrier has. */
  get size(): number {
    return this.#calls.size;
  }

  /** room is how many more it takes. */
  get room(): number {
    return this.#limit - this.#calls.size;
  }

  /** give hands calls over, those without a body together. */
  give(calls: readonly PluginCall[]): void {
    let packed = '';
    for (const call of calls) {
      const { file, body } = call;
      if (!this.#libraries.has(file)) {
        this.#libraries.add(file);
        this.#carrier.library(file, this.#events.bytesOf(file));
      }
      const id = this.#calls.nextId();
      this.#last = id;
      this.#calls.put({ id, call, abandoned: false });
      if (body !== undefined) {
        this.#carrier.calls(packCall(id, call), body);
        continue;
      }
      packed += packCall(id, call);
      if (packed.length < MESSAGE) continue;
      this.#carrier.calls(packed, undefined);
      packed = '';
    }
    if (packed !== '') this.#carrier.calls(packed, undefined);
  }

  /** take takes a record; false when it is about the carrier itself. Throws RangeError for a call that the carrier has not. */
  take(record: PluginRecord): boolean {
    switch (record.kind) {
      case RecordKind.json:
      case RecordKind.typed:
      case RecordKind.failed: {
        const call = this.#remove(record.id);
        if (call !== undefined) this.#events.ended(call, record);
        return true;
      }
      case RecordKind.returned: {
        const call = this.#remove(record.id);
        if (call !== undefined) this.#returned.push(call);
        return true;
      }
      case RecordKind.loaded:
        this.#events.loaded(record.body.toString());
        return true;
      case RecordKind.unloadable: {
        const name = record.body.toString();
        this.#libraries.delete(name); // to be given again
        this.#events.unloadable(name);
        return true;
      }
      default:
        return false;
    }
  }

  /** abandon passes on which of the calls nobody waits for any more. */
  abandon(ids: ReadonlySet<number>): void {
    let packed = '';
    for (const given of this.#calls.values()) {
      if (given.abandoned || !ids.has(given.call.id)) continue;
      given.abandoned = true;
      packed += packId(given.id);
    }
    if (packed !== '') this.#carrier.abandon(packed);
  }

  /** takeReturned takes the calls that came back. */
  takeReturned(): PluginCall[] {
    const returned = this.#returned;
    this.#returned = [];
    return returned;
  }

  /** takeAll takes all calls away from a carrier that is gone, in the order they were given. */
  takeAll(): GivenCall[] {
    const all = this.#calls.values().sort((a, b) => this.#age(b.id) - this.#age(a.id));
    for (const { id } of all) this.#calls.remove(id);
    return all;
  }

  /** isBefore tells whether a call was given before another one, or is that. */
  isBefore(id: number, other: number): boolean {
    return this.#age(id) >= this.#age(other);
  }

  /** How many numbers ago one was given: they begin anew at some time. */
  #age(id: number): number {
    return (this.#last - id) & NUMBERS;
  }

  /** Gives up the place of a call; undefined when nobody waits for it. */
  #remove(id: number): PluginCall | undefined {
    const given = this.#calls.get(id);
    // A plugin wrote to the channel, and nothing that comes through it can be believed any more.
    if (given === undefined) throw new RangeError(`a record of a call ${id}, which is not there`);
    this.#calls.remove(id);
    if (!given.abandoned) return given.call;
    this.#events.ready();
    return undefined;
  }
}
