/**
 * The state of a host process at its death, from the last record it sent: which calls had begun, which one crashed it, and
 * which libraries are suspect.
 */
import { constants } from 'node:os';
import type { InFlightCall, InFlightCalls } from './in-flight-calls.js';
import type { HostExit } from './host-process.js';
import type { PluginCall, PluginRecord } from './wire.js';

/** Length of the body of a crash record. */
const CRASH_BYTES = 8;

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

export interface HostDeath {
  readonly signal: string | null;
  /** Calls that had begun and are lost; without a crash record, all calls. */
  readonly begun: readonly InFlightCall[];
  /** Calls that had not begun. */
  readonly notBegun: readonly InFlightCall[];
  /** The call that crashed the process, if known. */
  readonly culprit: InFlightCall | undefined;
  /** Whether the library of that call had been loaded. */
  readonly loaded: boolean;
  /** Libraries that may have crashed the process. */
  readonly suspects: ReadonlySet<string>;
}

/** isCrashRecord tells whether a `crashed` record is well formed. */
export function isCrashRecord(record: PluginRecord): boolean {
  return record.body.length === CRASH_BYTES;
}

/** deathOf takes all calls of a dead host process; `crash` is its last record, if that was a crash record. */
export function deathOf(
  inFlight: InFlightCalls,
  exit: HostExit,
  crash: PluginRecord | undefined,
): HostDeath {
  const calls = inFlight.takeAll();
  const signal = exit.signal ?? (crash && SIGNALS.get(crash.status)) ?? null;
  if (crash === undefined) {
    const suspects = librariesOf(calls);
    return { signal, begun: calls, notBegun: [], culprit: undefined, loaded: false, suspects };
  }
  const last = crash.body.readUInt32LE(0);
  const begun = calls.filter(({ id }) => last !== 0 && inFlight.isNotAfter(id, last));
  const culprit = calls.find(({ id }) => id === crash.id);
  const suspects = crash.id === 0 ? begun : culprit ? [culprit] : [];
  return {
    signal,
    begun,
    notBegun: calls.slice(begun.length), // calls begin in the order sent
    culprit,
    loaded: culprit !== undefined && crash.body.readUInt32LE(4) === 0,
    suspects: librariesOf(suspects),
  };
}

/** The log fields of a call. */
export function handlerOf(call: PluginCall): Readonly<Record<string, string>> {
  const { file, func, method, requestId } = call;
  return { plugin: file, handler: `${method}${func}Handler`, requestId };
}

function librariesOf(calls: readonly InFlightCall[]): Set<string> {
  return new Set(calls.map(({ call }) => call.file));
}
