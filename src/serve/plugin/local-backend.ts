/**
 * Plugin calls on threads of this process, for trusted code. A plugin that crashes ends the HTTP process; a call that does
 * not end occupies its thread for ever.
 */
import type { Logger } from '../../observe/log.js';
import { PluginPool } from '../../native/plugin-pool.js';
import type { PluginSettings } from '../../messages/http-settings.js';
import { InFlightCalls } from './in-flight-calls.js';
import { CALLS_PER_THREAD, type BackendEvents, type PluginBackend } from './backend.js';
import { readRecords } from './records.js';
import { RecordKind, type PluginCall, type PluginRecord } from './wire.js';

export class LocalBackend implements PluginBackend {
  readonly #log: Logger;
  readonly #pool: PluginPool;
  readonly #inFlight: InFlightCalls;

  constructor(settings: PluginSettings, events: BackendEvents, log: Logger) {
    const { threads, timeout, maxResponse } = settings;
    this.#log = log;
    const onRecord = (record: PluginRecord): void => this.#receive(record);
    this.#pool = new PluginPool({ threads, timeout, maxResponse }, (records) =>
      readRecords(Buffer.from(records), onRecord),
    );
    this.#inFlight = new InFlightCalls(this.#pool, threads * CALLS_PER_THREAD, events);
  }

  room(): number {
    return this.#inFlight.room;
  }

  run(calls: readonly PluginCall[]): void {
    this.#inFlight.add(calls);
  }

  abandon(ids: ReadonlySet<number>): void {
    this.#inFlight.abandon(ids);
  }

  close(): void {
    this.#pool.close();
  }

  #receive(record: PluginRecord): void {
    if (this.#inFlight.receive(record) || record.kind !== RecordKind.stuck) return;
    this.#log.error('a plugin call does not end and occupies a thread of the HTTP process');
  }
}
