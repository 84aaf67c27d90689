/**
 * What a host process that died had come to, by the last record it sent: which of its calls had begun, which one it died
 * of, and what libraries may be to blame.
 */
import { constants } from 'node:os';
import type { GivenCall, GivenCalls } from './given-calls.js';
import type { HostExit } from './host-process.js';
import type { PluginCall, PluginRecord } from './wire.js';

/** Bytes that the record of a crash holds. */
const CRASH_BYTES = 8;

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** What is known of a death. */
export interface HostDeath {
  readonly signal: string | null;
  /** Calls that are lost; without a record all of them. */
  readonly begun: readonly GivenCall[];
  /** Calls that nothing was done for. */
  readonly untouched: readonly GivenCall[];
  /** The call that it died of; undefined when that is not known. */
  readonly culprit: GivenCall | undefined;
  /** Whether the library of that call was there already. */
  readonly loaded: boolean;
  /** Libraries that it may have died of. */
  readonly suspects: ReadonlySet<string>;
}

/** isCrash tells whether a record is one that a death can be judged by. */
export function isCrash(record: PluginRecord): boolean {
  return record.body.length === CRASH_BYTES;
}

/** judgeDeath takes all calls away from a host that died; `crash` is its last record, if that told of its end. */
export function judgeDeath(
  given: GivenCalls,
  exit: HostExit,
  crash: PluginRecord | undefined,
): HostDeath {
  const calls = given.takeAll();
  const signal = exit.signal ?? (crash && SIGNALS.get(crash.status)) ?? null;
  if (crash === undefined) {
    const suspects = namesOf(calls);
    return { signal, begun: calls, untouched: [], culprit: undefined, loaded: false, suspects };
  }
  const last = crash.body.readUInt32LE(0);
  const begun = calls.filter(({ id }) => last !== 0 && given.isBefore(id, last));
  const culprit = calls.find(({ id }) => id === crash.id);
  const suspects = crash.id === 0 ? begun : culprit ? [culprit] : [];
  return {
    signal,
    begun,
    untouched: calls.slice(begun.length), // in the order they were given
    culprit,
    loaded: culprit !== undefined && crash.body.readUInt32LE(4) === 0,
    suspects: namesOf(suspects),
  };
}

/** handlerOf names what a call is to, for the log. */
export function handlerOf(call: PluginCall): Readonly<Record<string, string>> {
  const { file, func, method, requestId } = call;
  return { plugin: file, handler: `${method}${func}Handler`, requestId };
}

function namesOf(calls: readonly GivenCall[]): Set<string> {
  return new Set(calls.map(({ call }) => call.file));
}
