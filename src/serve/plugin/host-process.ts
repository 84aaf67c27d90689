/**
 * One host process (native/plugin_host.cc), from spawn to exit; a HostSlot replaces it. It inherits listed and configured
 * environment variables, its channel, and the service's standard error, where the output of plugins goes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { installedFile } from '../../base/installed-file.js';
import type { PluginSettings } from '../../messages/http-settings.js';
import type { PluginTransport } from './backend.js';
import { RecordReader, type OnRecord } from './records.js';
import { MessageKind, MESSAGE_HEAD, writeMessageHead } from './wire.js';

export const HOST_FILE = installedFile('build/Release/plugin_host');

/** How long the channel is read after the exit of the process, ms: children of plugins may keep it open. */
const DRAIN_TIME = 200;

/** Bytes that a record may have beyond the body of a response. */
const RECORD_OVERHEAD = 1 << 20;

/** Environment variables that a host process inherits, besides LC_*. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'];

export interface HostExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly error?: NodeJS.ErrnoException;
}

export interface HostEvents {
  readonly record: OnRecord;
  /** It accepts no more calls. */
  readonly ending: () => void;
  /** It has exited and its channel has been read to the end. */
  readonly ended: (exit: HostExit) => void;
}

export class HostProcess implements PluginTransport {
  /** When data was received last (performance.now). */
  lastReceived = performance.now();
  /** Undefined when spawn threw, for example for want of memory. */
  readonly #child: ChildProcess | undefined;
  readonly #events: HostEvents;
  readonly #reader: RecordReader;
  /** Undefined when it could not be started. */
  readonly #channel: Socket | undefined;
  #exit: HostExit | undefined;
  #closed = false;

  /** `file` is the program. A process that cannot be started is reported as ended. */
  constructor(settings: PluginSettings, events: HostEvents, file: string) {
    const { threads, timeout, maxResponse, maxMemory, environment } = settings;
    const limits = { threads, timeout, 'max-response': maxResponse, 'max-memory': maxMemory };
    this.#events = events;
    this.#reader = new RecordReader(maxResponse + RECORD_OVERHEAD, events.record);
    const notStarted = (error: Error): void => this.#gone({ code: null, signal: null, error });
    let child: ChildProcess;
    try {
      child = spawn(
        file,
        Object.entries(limits).flatMap(([name, limit]) => [`--${name}`, String(limit)]),
        { stdio: ['ignore', 2, 2, 'pipe'], env: hostEnvironment(environment) },
      );
    } catch (error) {
      // Some errors are emitted, others (ENOMEM) thrown.
      process.nextTick(notStarted, error);
      return;
    }
    this.#child = child;
    child.on('error', (error) => {
      if (child.pid === undefined) notStarted(error);
    });
    child.on('exit', (code, signal) => this.#gone({ code, signal }));
    if (child.pid === undefined) return;
    this.#channel = child.stdio[3] as Socket;
    this.#channel
      .on('data', (piece: Buffer) => this.#read(piece))
      .on('error', () => undefined) // it closes
      .on('close', () => {
        if (this.#exit === undefined) this.kill();
        else this.#end();
      });
  }

  /** pid is the process number; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  calls(packed: string, body: Uint8Array | undefined): void {
    this.#send(MessageKind.calls, packed, body);
  }

  library(name: string, bytes: Uint8Array): void {
    this.#send(MessageKind.library, name, bytes);
  }

  abandon(ids: string): void {
    this.#send(MessageKind.abandon, ids, undefined);
  }

  /** retire asks for the calls that have not begun: a `returned` record for each, then `retired`. */
  retire(): void {
    this.#send(MessageKind.retire, '', undefined);
  }

  /** kill ends it at once; `ended` follows. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** close ends it at once; no record or event follows. */
  close(): void {
    this.#closed = true;
    this.#channel?.destroy();
    this.kill();
  }

  #send(
    kind: (typeof MessageKind)[keyof typeof MessageKind],
    text: string,
    bytes: Uint8Array | undefined,
  ): void {
    if (this.#channel?.writable !== true) return;
    const message = Buffer.allocUnsafe(MESSAGE_HEAD + 2 * text.length);
    writeMessageHead(message, kind, text.length, bytes?.length ?? 0);
    message.write(text, MESSAGE_HEAD, 'utf16le');
    this.#channel.write(message);
    if (bytes !== undefined) this.#channel.write(bytes);
  }

  #read(piece: Buffer): void {
    if (this.#closed) return;
    this.lastReceived = performance.now();
    try {
      this.#reader.push(piece);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#channel?.destroy(); // the stream is out of step
    }
  }

  #gone(exit: HostExit): void {
    if (this.#closed || this.#exit !== undefined) return;
    this.#exit = exit;
    this.#events.ending();
    if (this.#channel === undefined || this.#channel.closed) this.#end();
    else setTimeout(() => this.#channel?.destroy(), DRAIN_TIME);
  }

  #end(): void {
    if (!this.#closed) this.#events.ended(this.#exit!);
    this.#closed = true;
  }
}

/** hostEnvironment is the part of an environment that a host process inherits: INHERITED and `names`. */
export function hostEnvironment(
  names: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const passed = new Set([...INHERITED, ...names]);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => passed.has(name) || name.startsWith('LC_')),
  );
}
