/**
 * The calls in flight on one transport, and the libraries it has. Calls get ids of their own, because the HTTP process
 * reuses its ids while an abandoned call still runs.
 */
import { packId } from '../../messages/batch.js';
import { SlotTable } from '../../base/slot-table.js';
import type { BackendEvents, PluginTransport } from './backend.js';
import { packCall, RecordKind, type PluginCall, type PluginRecord } from './wire.js';

/** Most characters of packed calls in one message. */
const MAX_MESSAGE = 1 << 18;

/** Mask of the ids of a SlotTable, which wrap around. */
const ID_MASK = 0x3fff_ffff;

export interface InFlightCall {
  readonly id: number;
  readonly call: PluginCall;
  /** Whether its client is gone or timed out. */
  abandoned: boolean;
}

export class InFlightCalls {
  readonly #transport: PluginTransport;
  readonly #limit: number;
  readonly #events: BackendEvents;
  readonly #calls: SlotTable<InFlightCall>;
  readonly #libraries = new Set<string>();
  #last = 0;
  /** Calls that came back without having begun. */
  #returned: PluginCall[] = [];

  /** `limit` is the most calls in flight. */
  constructor(transport: PluginTransport, limit: number, events: BackendEvents) {
    this.#transport = transport;
    this.#limit = limit;
    this.#events = events;
    this.#calls = new SlotTable(limit);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** room is how many more calls fit. */
  get room(): number {
    return this.#limit - this.#calls.size;
  }

  /** add sends calls, those without a body in one message. */
  add(calls: readonly PluginCall[]): void {
    let packed = '';
    for (const call of calls) {
      const { file, body } = call;
      if (!this.#libraries.has(file)) {
        this.#libraries.add(file);
        this.#transport.library(file, this.#events.bytesOf(file));
      }
      const id = this.#calls.nextId();
      this.#last = id;
      this.#calls.put({ id, call, abandoned: false });
      if (body !== undefined) {
        this.#transport.calls(packCall(id, call), body);
        continue;
      }
      packed += packCall(id, call);
      if (packed.length < MAX_MESSAGE) continue;
      this.#transport.calls(packed, undefined);
      packed = '';
    }
    if (packed !== '') this.#transport.calls(packed, undefined);
  }

  /** receive handles a record; false when it concerns the transport itself. Throws RangeError for an unknown call. */
  receive(record: PluginRecord): boolean {
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
        this.#libraries.delete(name); // sent again with the next call
        this.#events.unloadable(name);
        return true;
      }
      default:
        return false;
    }
  }

  /** abandon marks calls by the ids of the HTTP process. */
  abandon(ids: ReadonlySet<number>): void {
    let packed = '';
    for (const entry of this.#calls.values()) {
      if (entry.abandoned || !ids.has(entry.call.id)) continue;
      entry.abandoned = true;
      packed += packId(entry.id);
    }
    if (packed !== '') this.#transport.abandon(packed);
  }

  /** takeReturned removes and returns the calls that came back without having begun. */
  takeReturned(): PluginCall[] {
    const returned = this.#returned;
    this.#returned = [];
    return returned;
  }

  /** takeAll removes and returns all calls of a closed transport, oldest first. */
  takeAll(): InFlightCall[] {
    const all = this.#calls.values().sort((a, b) => this.#age(b.id) - this.#age(a.id));
    for (const { id } of all) this.#calls.remove(id);
    return all;
  }

  /** isNotAfter tells whether a call was sent before another one, or is the same. */
  isNotAfter(id: number, other: number): boolean {
    return this.#age(id) >= this.#age(other);
  }

  /** Age of an id: how many ids were assigned after it. */
  #age(id: number): number {
    return (this.#last - id) & ID_MASK;
  }

  /** Removes a call; undefined when it was abandoned. */
  #remove(id: number): PluginCall | undefined {
    const entry = this.#calls.get(id);
    // A plugin wrote to the channel: no later record can be trusted.
    if (entry === undefined) throw new RangeError(`a record of an unknown call ${id}`);
    this.#calls.remove(id);
    if (!entry.abandoned) return entry.call;
    this.#events.ready();
    return undefined;
  }
}
