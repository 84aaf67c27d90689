/**
 * Plugins in processes of their own: keeps one process running from the first call on, replaces one that dies (at once,
 * then after a wait that grows while deaths follow one another), and one that has calls that do not end or too much
 * memory, which finishes what it has begun. What a process that died had begun is lost, all else is run by the next.
 */
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { PluginSettings } from '../settings.js';
import { GivenCalls, type GivenCall } from './given-calls.js';
import { handlerOf, isCrash, judgeDeath } from './host-death.js';
import { HOST_FILE, HostProcess, type HostExit } from './host-process.js';
import { CALLS_A_THREAD, type PlaceEvents, type PluginPlace } from './place.js';
import { RecordKind, type PluginCall, type PluginRecord } from './wire.js';

/** Wait before a replacement (milliseconds), after the first one: doubled with each death up to the last. */
const WAIT_FIRST = 50;
const WAIT_LAST = 500;

/** A process that lived this long (milliseconds) starts the waits anew. */
const STEADY = 30_000;

/** What calls may take beyond their time limit before a process that only finishes them is given up (milliseconds). */
const PATIENCE = 1_000;

/** How long a process that has calls may tell nothing before it is given up (milliseconds): it tells twice a second that it is alive. */
const SILENCE = 5_000;

/** How often it is looked whether the process still tells anything (milliseconds). */
const LOOK = 1_000;

/** Most processes at a time that only finish what they have: each may have as much memory as there may be. */
const RETIRED_MOST = 2;

/** How long nothing is tried after a process could not be started for what its file is (milliseconds). */
const UNUSABLE = 1_000;
const UNUSABLE_FILE = new Set(['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR', 'EPERM']);

/** What callers are told whose call did not crash, or nobody knows it. */
const NEIGHBOUR = 'the process that ran the plugin ended';

/** Host is one process and what is known of it. */
interface Host {
  readonly process: HostProcess;
  readonly given: GivenCalls;
  readonly started: number;
  /** Why it is to be replaced. */
  due: string | undefined;
  retired: boolean;
  /** Whether it has given back all that it had not begun. */
  emptied: boolean;
  /** It was killed because its calls did not end. */
  overdue: boolean;
  /** What it told last, when that was of its end. */
  crash: PluginRecord | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** HostSlot runs calls in processes, one at a time but for those that finish. */
export class HostSlot implements PluginPlace {
  readonly #settings: PluginSettings;
  readonly #events: PlaceEvents;
  readonly #log: Logger;
  readonly #file: string;
  readonly #limit: number;
  readonly #watch: NodeJS.Timeout;
  #current: Host | undefined;
  readonly #retired = new Set<Host>();
  /** The wait before the next replacement, 0 for none. */
  #wait = 0;
  #timer: NodeJS.Timeout | undefined;
  /** No process can be started until then (performance.now). */
  #unusable = 0;
  /** Whether that was said. */
  #said = false;
  /** How many looks in a row found a process with calls that tells nothing. */
  #silent = 0;
  #closed = false;

  /** `file` is the program, when it is not the service's own. */
  constructor(settings: PluginSettings, events: PlaceEvents, log: Logger, file = HOST_FILE) {
    this.#settings = settings;
    this.#events = events;
    this.#log = log;
    this.#file = file;
    this.#limit = settings.threads * CALLS_A_THREAD;
    this.#watch = setInterval(() => this.#look(), LOOK);
    this.#watch.unref();
  }

  /** pid is the number of the process that takes calls now; undefined while there is none. */
  get pid(): number | undefined {
    return this.#current?.process.pid;
  }

  /** room starts a process unless there is one, or one to wait for. */
  room(): number {
    if (this.#closed || this.#timer !== undefined) return 0;
    if (performance.now() < this.#unusable) return this.#limit;
    this.#current ??= this.#start();
    return this.#current.given.room;
  }

  run(calls: readonly PluginCall[]): void {
    if (this.#current !== undefined) this.#current.given.give(calls);
    else
      for (const call of calls) this.#events.failed(call, new ServiceError('plugin_load_failed'));
  }

  abandon(ids: ReadonlySet<number>): void {
    for (const { given } of this.#hosts()) given.abandon(ids);
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
      record: (record: PluginRecord) => this.#take(host, record),
      ending: () => this.#ending(host),
      ended: (exit: HostExit) => this.#ended(host, exit),
    };
    const process = new HostProcess(this.#settings, events, this.#file);
    const host: Host = {
      process,
      given: new GivenCalls(process, this.#limit, this.#events),
      started: performance.now(),
      due: undefined,
      retired: false,
      emptied: false,
      overdue: false,
      crash: undefined,
      timer: undefined,
    };
    if (process.pid !== undefined) this.#said = false;
    this.#silent = 0;
    return host;
  }

  #take(host: Host, record: PluginRecord): void {
    // Only the last one counts: what a plugin forked tells of its own end too.
    host.crash = undefined;
    if (host.given.take(record)) {
      this.#release(host);
      return;
    }
    switch (record.kind) {
      case RecordKind.stuck:
        host.due ??= 'a call does not end';
        this.#retire();
        break;
      case RecordKind.swollen:
        host.due ??= 'too much memory';
        if (record.status > 1) this.#kill(host, 'takes more than twice the memory that it may');
        else this.#retire();
        break;
      case RecordKind.retired:
        if (!host.retired) break;
        host.emptied = true;
        this.#events.returned(host.given.takeReturned());
        this.#release(host);
        break;
      case RecordKind.crashed:
        if (isCrash(record)) host.crash = record;
    }
  }

  /** Replaces the current process if it is due; another one is started when there is something to run. */
  #retire(): void {
    const host = this.#current;
    if (host?.due === undefined || this.#retired.size >= RETIRED_MOST) return;
    const { process, given } = host;
    this.#log.warn(
      { pid: process.pid, reason: host.due, calls: given.size },
      'a plugin host is replaced',
    );
    host.retired = true;
    host.timer = setTimeout(() => {
      host.overdue = true;
      process.kill();
    }, this.#settings.timeout + PATIENCE);
    this.#current = undefined;
    this.#retired.add(host);
    process.retire();
    this.#events.ready();
  }

  /** Ends a process that has finished what it had. */
  #release(host: Host): void {
    if (!host.emptied || host.given.size > 0) return;
    clearTimeout(host.timer);
    host.process.close();
    this.#retired.delete(host);
    this.#retire();
  }

  #ending(host: Host): void {
    if (host !== this.#current) return;
    this.#current = undefined;
    if (performance.now() - host.started >= STEADY) this.#wait = 0;
    if (this.#wait > 0)
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#events.ready();
      }, this.#wait);
  }

  #ended(host: Host, exit: HostExit): void {
    clearTimeout(host.timer);
    this.#retired.delete(host);
    if (exit.error !== undefined) this.#notStarted(exit.error, host.given.takeAll());
    else if (host.overdue)
      this.#lost(host.given.takeAll(), () => new ServiceError('plugin_timeout'));
    else this.#died(host, exit);
    this.#retire();
    this.#events.ready();
  }

  #notStarted(error: NodeJS.ErrnoException, calls: readonly GivenCall[]): void {
    const unusable = UNUSABLE_FILE.has(error.code ?? '');
    if (!this.#said) {
      const advice = unusable ? ': is it built (npm run build:native)?' : '';
      this.#log.error({ err: error, wait: this.#wait }, `no plugin host can be started${advice}`);
    }
    this.#said = true;
    if (unusable) {
      this.#unusable = performance.now() + UNUSABLE;
      this.#lost(calls, () => new ServiceError('plugin_load_failed'));
      return;
    }
    this.#return(calls, []);
    this.#longer();
  }

  #died(host: Host, exit: HostExit): void {
    const { process, given, crash, retired } = host;
    const { signal, begun, untouched, culprit, loaded, suspects } = judgeDeath(given, exit, crash);
    const handler = culprit && handlerOf(culprit.call);
    const fields = { ...handler, code: exit.code, signal, pid: process.pid, lost: begun.length };
    this.#log.error({ ...fields, wait: this.#wait }, 'a plugin host died');
    if (!retired) this.#longer();
    if (culprit !== undefined && loaded) this.#events.loaded(culprit.call.file);
    this.#events.crashed(suspects);
    this.#lost(
      begun,
      (one) => new ServiceError('plugin_crashed', one === culprit ? undefined : NEIGHBOUR),
    );
    this.#return(untouched, given.takeReturned());
  }

  #longer(): void {
    this.#wait = Math.min(Math.max(this.#wait * 2, WAIT_FIRST), WAIT_LAST);
  }

  #lost(calls: readonly GivenCall[], error: (given: GivenCall) => ServiceError): void {
    for (const given of calls) if (!given.abandoned) this.#events.failed(given.call, error(given));
  }

  #return(calls: readonly GivenCall[], returned: readonly PluginCall[]): void {
    const waiting = calls.filter(({ abandoned }) => !abandoned).map(({ call }) => call);
    this.#events.returned([...waiting, ...returned]);
  }

  /** A process whose memory a plugin has spoilt may be unable to answer, end or tell. Not by the clock: it may have been stopped with us. */
  #look(): void {
    const host = this.#current;
    if (
      host === undefined ||
      host.given.size === 0 ||
      performance.now() - host.process.heard < LOOK
    ) {
      this.#silent = 0;
      return;
    }
    if (++this.#silent * LOOK <= SILENCE) return;
    this.#kill(host, 'does not answer any more');
  }

  #kill({ process }: Host, reason: string): void {
    this.#log.error({ pid: process.pid }, `a plugin host ${reason} and is killed`);
    process.kill();
  }
}
