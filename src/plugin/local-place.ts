/**
 * Plugins in this process, for code that is trusted: nothing stands between a call and the thread that runs it. A plugin
 * that crashes takes the front end with it, and one that does not end keeps its thread.
 */
import type { Logger } from '../log.js';
import { PluginPool } from '../native/plugin-pool.js';
import type { PluginSettings } from '../settings.js';
import { GivenCalls } from './given-calls.js';
import { CALLS_A_THREAD, type PlaceEvents, type PluginPlace } from './place.js';
import { readRecords } from './records.js';
import { RecordKind, type PluginCall, type PluginRecord } from './wire.js';

/** LocalPlace runs calls on threads of this process. */
export class LocalPlace implements PluginPlace {
  readonly #log: Logger;
  readonly #pool: PluginPool;
  readonly #given: GivenCalls;

  constructor(settings: PluginSettings, events: PlaceEvents, log: Logger) {
    const { threads, timeout, maxResponse } = settings;
    this.#log = log;
    const take = (record: PluginRecord): void => this.#take(record);
    this.#pool = new PluginPool({ threads, timeout, maxResponse }, (records) =>
      readRecords(Buffer.from(records), take),
    );
    this.#given = new GivenCalls(this.#pool, threads * CALLS_A_THREAD, events);
  }

  room(): number {
    return this.#given.room;
  }

  run(calls: readonly PluginCall[]): void {
    this.#given.give(calls);
  }

  abandon(ids: ReadonlySet<number>): void {
    this.#given.abandon(ids);
  }

  close(): void {
    this.#pool.close();
  }

  #take(record: PluginRecord): void {
    if (this.#given.take(record) || record.kind !== RecordKind.stuck) return;
    this.#log.error('a plugin does not end and keeps a thread of this front end');
  }
}
