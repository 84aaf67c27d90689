/**
 * One process of plugins (native/plugin_host.cc), from spawn to exit. It gets the environment variables of a list and the
 * ones that are configured, no descriptor but its channel, and the service's standard error for what plugins print.
 * Replaces nothing: what starts another one is a HostSlot.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { PluginSettings } from '../settings.js';
import type { PluginCarrier } from './carrier.js';
import { RecordReader, type OnRecord } from './records.js';
import { Message, MESSAGE_HEAD, writeMessageHead } from './wire.js';

/** The program, as it is built. */
export const HOST_FILE = fileURLToPath(new URL('../../build/Release/plugin_host', import.meta.url));

/** How long the channel of a process that is gone is read (milliseconds): what plugins started may hold it open. */
const REMAINS = 200;

/** Bytes that a record may have besides the body of an answer. */
const BESIDES = 1 << 20;

const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'];

/** How a process came to its end. */
export interface HostExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not even be started. */
  readonly error?: NodeJS.ErrnoException;
}

export interface HostEvents {
  readonly record: OnRecord;
  /** It takes no calls any more. */
  readonly ending: () => void;
  /** It is gone, and all that it told was read. */
  readonly ended: (exit: HostExit) => void;
}

/** HostProcess carries calls to a process and records back. */
export class HostProcess implements PluginCarrier {
  /** When something came from it last (performance.now). */
  heard = performance.now();
  /** Undefined when there was not even an attempt, for want of memory for instance. */
  readonly #child: ChildProcess | undefined;
  readonly #events: HostEvents;
  readonly #reader: RecordReader;
  /** Undefined when it could not be started. */
  readonly #channel: Socket | undefined;
  #exit: HostExit | undefined;
  #closed = false;

  /** `file` is the program. What does not start ends like what dies. */
  constructor(settings: PluginSettings, events: HostEvents, file: string) {
    const { threads, timeout, maxResponse, maxMemory, environment } = settings;
    const limits = { threads, timeout, 'max-response': maxResponse, 'max-memory': maxMemory };
    this.#events = events;
    this.#reader = new RecordReader(maxResponse + BESIDES, events.record);
    const notStarted = (error: Error): void => this.#gone({ code: null, signal: null, error });
    let child: ChildProcess;
    try {
      child = spawn(
        file,
        Object.entries(limits).flatMap(([name, limit]) => [`--${name}`, String(limit)]),
        { stdio: ['ignore', 2, 2, 'pipe'], env: hostEnvironment(environment) },
      );
    } catch (error) {
      // Some errors are emitted, and others (ENOMEM) thrown.
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
    this.#send(Message.calls, packed, body);
  }

  library(name: string, bytes: Uint8Array): void {
    this.#send(Message.library, name, bytes);
  }

  abandon(ids: string): void {
    this.#send(Message.abandon, ids, undefined);
  }

  /** retire has it give back what was not begun: a `returned` record for each call, then `retired`. */
  retire(): void {
    this.#send(Message.retire, '', undefined);
  }

  /** kill ends it at once; its end is told. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** close ends it, whatever runs. No record comes after that. */
  close(): void {
    this.#closed = true;
    this.#channel?.destroy();
    this.kill();
  }

  #send(
    kind: (typeof Message)[keyof typeof Message],
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
    this.heard = performance.now();
    try {
      this.#reader.push(piece);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#channel?.destroy(); // what comes now cannot be understood
    }
  }

  #gone(exit: HostExit): void {
    if (this.#closed || this.#exit !== undefined) return;
    this.#exit = exit;
    this.#events.ending();
    if (this.#channel === undefined || this.#channel.closed) this.#end();
    else setTimeout(() => this.#channel?.destroy(), REMAINS);
  }

  #end(): void {
    if (!this.#closed) this.#events.ended(this.#exit!);
    this.#closed = true;
  }
}

/** hostEnvironment is what a process of plugins sees of an environment: `names` besides those of the list. */
export function hostEnvironment(
  names: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const passed = new Set([...PASSED_ON, ...names]);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => passed.has(name) || name.startsWith('LC_')),
  );
}
