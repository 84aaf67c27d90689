/**
 * Plugin calls in host processes: runs one process from the first call on and replaces it when it dies (with back-off),
 * when a call does not end, or when it uses too much memory. A replaced process finishes the calls that it has begun; the
 * calls that a dead process had begun are lost, and the others run in the next one.
 */
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { PluginSettings } from '../../messages/http-settings.js';
import { InFlightCalls, type InFlightCall } from './in-flight-calls.js';
import { handlerOf, isCrashRecord, deathOf } from './host-death.js';
import { HOST_FILE, HostProcess, type HostExit } from './host-process.js';
import { CALLS_PER_THREAD, type BackendEvents, type PluginBackend } from './backend.js';
import { RecordKind, type PluginCall, type PluginRecord } from './wire.js';
import { Backoff } from '../../base/backoff.js';

/** Wait before a replacement after the first one, ms. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 500;

/** Lifetime of a process that resets the back-off, ms. */
const STEADY = 30_000;

/** How long a retired process may run beyond the time limit of its calls before it is killed, ms. */
const GRACE = 1_000;

/** How long a process with calls may send nothing before it is killed, ms; it sends `alive` twice a second. */
const ALIVE_TIMEOUT = 5_000;

/** Interval of the check for that, ms. */
const CHECK_INTERVAL = 1_000;

/** Most retired processes at a time: each may use the whole memory limit. */
const MAX_RETIRED = 2;

/** How long no start is attempted after the program file turned out unusable, ms. */
const UNUSABLE_TIME = 1_000;
const UNUSABLE_CODES = new Set(['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR', 'EPERM']);

/** Message for a lost call that is not known to have crashed the process. */
const LOST_WITH_PROCESS = 'the process that ran the plugin ended';

/** A host process and its state. */
interface Host {
  readonly process: HostProcess;
  readonly inFlight: InFlightCalls;
  readonly started: number;
  replaceReason: string | undefined;
  retired: boolean;
  /** Whether it has returned the calls that had not begun. */
  emptied: boolean;
  /** Whether it was killed because its calls did not end. */
  overdue: boolean;
  /** Its last record, if that was a crash record. */
  crash: PluginRecord | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class HostSlot implements PluginBackend {
  readonly #settings: PluginSettings;
  readonly #events: BackendEvents;
  readonly #log: Logger;
  readonly #file: string;
  readonly #limit: number;
  readonly #watch: NodeJS.Timeout;
  #current: Host | undefined;
  readonly #retired = new Set<Host>();
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #timer: NodeJS.Timeout | undefined;
  /** No start is attempted before then (performance.now). */
  #unusableUntil = 0;
  #logged = false;
  /** Checks in a row at which a process with calls had sent nothing. */
  #silentChecks = 0;
  #closed = false;

  /** `file` is the program of the host process. */
  constructor(settings: PluginSettings, events: BackendEvents, log: Logger, file = HOST_FILE) {
    this.#settings = settings;
    this.#events = events;
    this.#log = log;
    this.#file = file;
    this.#limit = settings.threads * CALLS_PER_THREAD;
    this.#watch = setInterval(() => this.#checkAlive(), CHECK_INTERVAL);
    this.#watch.unref();
  }

  /** pid is the id of the process that accepts calls; undefined without one. */
  get pid(): number | undefined {
    return this.#current?.process.pid;
  }

  /** room starts a process when none is running or waited for. */
  room(): number {
    if (this.#closed || this.#timer !== undefined) return 0;
    if (performance.now() < this.#unusableUntil) return this.#limit;
    this.#current ??= this.#start();
    return this.#current.inFlight.room;
  }

  run(calls: readonly PluginCall[]): void {
    if (this.#current !== undefined) this.#current.inFlight.add(calls);
    else
      for (const call of calls) this.#events.failed(call, new ServiceError('plugin_load_failed'));
  }

  abandon(ids: ReadonlySet<number>): void {
    for (const { inFlight } of this.#hosts()) inFlight.abandon(ids);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#timer);
    for (const { process, timer } of this.#hosts()) {
      clearTimeout(timer);
      process.close();
    }
  }

  #hosts(): Host[] {
    return this.#current === undefined ? [...this.#retired] : [this.#current, ...this.#retired];
  }

  #start(): Host {
    const events = {
      record: (record: PluginRecord) => this.#receive(host, record),
      ending: () => this.#ending(host),
      ended: (exit: HostExit) => this.#ended(host, exit),
    };
    const process = new HostProcess(this.#settings, events, this.#file);
    const host: Host = {
      process,
      inFlight: new InFlightCalls(process, this.#limit, this.#events),
      started: performance.now(),
      replaceReason: undefined,
      retired: false,
      emptied: false,
      overdue: false,
      crash: undefined,
      timer: undefined,
    };
    if (process.pid !== undefined) this.#logged = false;
    this.#silentChecks = 0;
    return host;
  }

  #receive(host: Host, record: PluginRecord): void {
    // Only the last record counts: a process that a plugin forked reports its own end too.
    host.crash = undefined;
    if (host.inFlight.receive(record)) {
      this.#release(host);
      return;
    }
    switch (record.kind) {
      case RecordKind.stuck:
        host.replaceReason ??= 'a call does not end';
        this.#retire();
        break;
      case RecordKind.overMemory:
        host.replaceReason ??= 'too much memory';
        if (record.status > 1) this.#kill(host, 'uses more than twice its memory limit');
        else this.#retire();
        break;
      case RecordKind.retired:
        if (!host.retired) break;
        host.emptied = true;
        this.#events.returned(host.inFlight.takeReturned());
        this.#release(host);
        break;
      case RecordKind.crashed:
        if (isCrashRecord(record)) host.crash = record;
    }
  }

  /** Retires the current process if it must be replaced; the next call starts another one. */
  #retire(): void {
    const host = this.#current;
    if (host?.replaceReason === undefined || this.#retired.size >= MAX_RETIRED) return;
    const { process, inFlight } = host;
    this.#log.warn(
      { pid: process.pid, reason: host.replaceReason, calls: inFlight.size },
      'a plugin host is replaced',
    );
    host.retired = true;
    host.timer = setTimeout(() => {
      host.overdue = true;
      process.kill();
    }, this.#settings.timeout + GRACE);
    this.#current = undefined;
    this.#retired.add(host);
    process.retire();
    this.#events.ready();
  }

  /** Ends a retired process that has finished its calls. */
  #release(host: Host): void {
    if (!host.emptied || host.inFlight.size > 0) return;
    clearTimeout(host.timer);
    host.process.close();
    this.#retired.delete(host);
    this.#retire();
  }

  #ending(host: Host): void {
    if (host !== this.#current) return;
    this.#current = undefined;
    if (performance.now() - host.started >= STEADY) this.#backoff.reset();
    if (this.#backoff.wait > 0)
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#events.ready();
      }, this.#backoff.wait);
  }

  #ended(host: Host, exit: HostExit): void {
    clearTimeout(host.timer);
    this.#retired.delete(host);
    if (exit.error !== undefined) this.#notStarted(exit.error, host.inFlight.takeAll());
    else if (host.overdue)
      this.#lost(host.inFlight.takeAll(), () => new ServiceError('plugin_timeout'));
    else this.#died(host, exit);
    this.#retire();
    this.#events.ready();
  }

  #notStarted(error: NodeJS.ErrnoException, calls: readonly InFlightCall[]): void {
    const unusable = UNUSABLE_CODES.has(error.code ?? '');
    if (!this.#logged) {
      const advice = unusable ? ': is it built (npm run build:native)?' : '';
      this.#log.error(
        { err: error, wait: this.#backoff.wait },
        `no plugin host can be started${advice}`,
      );
    }
    this.#logged = true;
    if (unusable) {
      this.#unusableUntil = performance.now() + UNUSABLE_TIME;
      this.#lost(calls, () => new ServiceError('plugin_load_failed'));
      return;
    }
    this.#return(calls, []);
    this.#backoff.next();
  }

  #died(host: Host, exit: HostExit): void {
    const { process, inFlight, crash, retired } = host;
    const { signal, begun, notBegun, culprit, loaded, suspects } = deathOf(inFlight, exit, crash);
    const handler = culprit && handlerOf(culprit.call);
    const fields = { ...handler, code: exit.code, signal, pid: process.pid, lost: begun.length };
    this.#log.error({ ...fields, wait: this.#backoff.wait }, 'a plugin host died');
    if (!retired) this.#backoff.next();
    if (culprit !== undefined && loaded) this.#events.loaded(culprit.call.file);
    this.#events.crashed(suspects);
    this.#lost(
      begun,
      (one) => new ServiceError('plugin_crashed', one === culprit ? undefined : LOST_WITH_PROCESS),
    );
    this.#return(notBegun, inFlight.takeReturned());
  }

  #lost(calls: readonly InFlightCall[], errorOf: (call: InFlightCall) => ServiceError): void {
    for (const one of calls) if (!one.abandoned) this.#events.failed(one.call, errorOf(one));
  }

  #return(calls: readonly InFlightCall[], returned: readonly PluginCall[]): void {
    const waiting = calls.filter(({ abandoned }) => !abandoned).map(({ call }) => call);
    this.#events.returned([...waiting, ...returned]);
  }

  /**
   * Kills a process that sends nothing: a plugin may have corrupted its memory. Checks are counted instead of time, because
   * SIGSTOP pauses both processes.
   */
  #checkAlive(): void {
    const host = this.#current;
    if (
      host === undefined ||
      host.inFlight.size === 0 ||
      performance.now() - host.process.lastReceived < CHECK_INTERVAL
    ) {
      this.#silentChecks = 0;
      return;
    }
    if (++this.#silentChecks * CHECK_INTERVAL <= ALIVE_TIMEOUT) return;
    this.#kill(host, 'has stopped responding');
  }

  #kill({ process }: Host, reason: string): void {
    this.#log.error({ pid: process.pid }, `a plugin host ${reason} and is killed`);
    process.kill();
  }
}
