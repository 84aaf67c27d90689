/**
 * Exports the spans of all HTTP processes to a collector, over OTLP/HTTP. Nothing waits for it: what does not fit into its
 * queue, and what cannot be delivered after some attempts, is dropped and counted. Loaded only when it is configured.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../base/backoff.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import type { TraceExportSettings } from '../../messages/supervisor-settings.js';
import { errorText, oneLine, printable, systemErrorText } from '../../base/text.js';
import {
  exportRequest,
  rejectedOf,
  type ServiceIdentity,
} from '../../observe/trace/export-request.js';
import { version } from '../../base/version.js';
import { Collector, type CollectorResponse } from './collector.js';

/** Spans by what became of them: `failed` were sent and not taken, `dropped` were not sent. */
export type SpanCounts = Record<'exported' | 'dropped' | 'failed', number>;

/** Times of an exporter, ms. */
export interface ExportTimes {
  /** How long spans are gathered for one request. */
  readonly gather: number;
  /** How long the collector may take to connect and respond. */
  readonly limit: number;
  /** The wait before a request is sent again, doubled each time. */
  readonly firstWait: number;
}

const TIMES: ExportTimes = { gather: 500, limit: 10_000, firstWait: 1_000 };

/** Most bytes of spans in the queue, and from which number on a request takes no more. */
const QUEUE = 8 << 20;
const REQUEST = 1 << 20;

/** How often a request is sent, and the longest wait between, ms. */
const ATTEMPTS = 5;
const LONGEST_WAIT = 30_000;

/** The responses after which a request may be sent again, as OTLP/HTTP has it. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How long close waits for queued spans (milliseconds). */
const CLOSING = 2_000;

/** Messages of HTTP processes that have just ended may still be on their way for so long (milliseconds). */
const LAST_MESSAGES = 50;

/** Most characters of a collector's message in the log. */
const LONGEST_MESSAGE = 200;

/** Name of this instance in traces, as long as the supervisor runs. */
const INSTANCE = randomUUID();

interface Chunk {
  readonly pid: number;
  readonly spans: Buffer;
  readonly count: number;
}

export class TraceExporter {
  readonly #settings: TraceExportSettings;
  readonly #service: ServiceIdentity;
  readonly #collector: Collector;
  readonly #counts: SpanCounts;
  readonly #log: Logger;
  readonly #failures = new LogOnce();
  readonly #backoff: Backoff;
  readonly #gather: number;
  readonly #closing = new AbortController();
  #queue: Chunk[] = [];
  /** Bytes in the queue. */
  #size = 0;
  /** Undefined while there is nothing to send. */
  #running: Promise<void> | undefined;

  /** It adds to `counts`. */
  constructor(settings: TraceExportSettings, counts: SpanCounts, log: Logger, times = TIMES) {
    this.#settings = settings;
    this.#service = { name: settings.service, version: version(), instance: INSTANCE };
    this.#collector = new Collector(settings, times.limit);
    this.#backoff = new Backoff(times.firstWait, LONGEST_WAIT);
    this.#gather = times.gather;
    this.#counts = counts;
    this.#log = log;
    log.info({ collector: new URL(settings.url).origin }, 'exporting traces');
  }

  isFor(settings: TraceExportSettings): boolean {
    return JSON.stringify(settings) === JSON.stringify(this.#settings);
  }

  /** add queues spans of a process, which are members of a ScopeSpans. */
  add(chunk: Chunk): void {
    if (this.#closing.signal.aborted || this.#size + chunk.spans.length > QUEUE) {
      this.#counts.dropped += chunk.count;
      return;
    }
    this.#queue.push(chunk);
    this.#size += chunk.spans.length;
    this.#running ??= this.#run().catch((error: unknown) => {
      this.#running = undefined;
      this.#log.error({ err: error }, NOT_EXPORTED);
    });
  }

  /** close sends the queued spans once, within a time; the rest is dropped. */
  async close(): Promise<void> {
    await sleep(LAST_MESSAGES);
    this.#closing.abort();
    await Promise.race([this.#running, sleep(CLOSING, undefined, { ref: false })]);
    this.#collector.close();
    for (const { count } of this.#queue) this.#counts.dropped += count;
    this.#queue = [];
  }

  async #run(): Promise<void> {
    await this.#wait(this.#gather);
    for (let chunks = this.#take(); chunks.length > 0; chunks = this.#take())
      await this.#deliver(chunks);
    this.#running = undefined;
  }

  /** Waits, unless it is being closed. */
  async #wait(time: number): Promise<void> {
    const { signal } = this.#closing;
    await sleep(time, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Takes what goes into one request. */
  #take(): Chunk[] {
    let size = 0;
    let end = 0;
    while (end < this.#queue.length && size < REQUEST) size += this.#queue[end++]!.spans.length;
    this.#size -= size;
    return this.#queue.splice(0, end);
  }

  /** Never rejects. */
  async #deliver(chunks: readonly Chunk[]): Promise<void> {
    const body = exportRequest(this.#service, byProcess(chunks));
    const count = chunks.reduce((sum, chunk) => sum + chunk.count, 0);
    for (let attempt = 1; ; attempt++) {
      const { reason, wait } = await this.#post(body, count);
      if (reason === undefined) return;
      if (this.#failures.isNew(reason)) this.#log.warn({ reason }, NOT_EXPORTED);
      if (wait === undefined || attempt === ATTEMPTS || this.#closing.signal.aborted) break;
      await this.#wait(wait);
    }
    this.#counts.failed += count;
  }

  /** Gives why a request was not taken, and how long to wait before it is sent again; undefined when that is no use. */
  async #post(
    body: Buffer,
    count: number,
  ): Promise<{ readonly reason?: string; readonly wait?: number }> {
    let response: CollectorResponse;
    try {
      response = await this.#collector.post(body);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return {
        reason: code === undefined ? errorText(error) : systemErrorText(error),
        wait: this.#backoff.next(),
      };
    }
    const { status, retryAfter } = response;
    if (status >= 200 && status <= 299) {
      this.#taken(response, count);
      return {};
    }
    const reason = `status ${status}`;
    if (!RETRYABLE.has(status)) return { reason };
    const wait = Math.max(this.#backoff.next(), waitOf(retryAfter));
    return { reason, wait: Math.min(wait, LONGEST_WAIT) };
  }

  #taken({ body }: CollectorResponse, count: number): void {
    const { spans, message } = rejectedOf(body);
    const rejected = Math.min(spans, count);
    this.#counts.exported += count - rejected;
    this.#counts.failed += rejected;
    this.#backoff.reset();
    if (rejected > 0) {
      const reason = printable(oneLine(message)).slice(0, LONGEST_MESSAGE);
      if (this.#failures.isNew(`rejected: ${reason}`))
        this.#log.warn({ reason, rejected }, 'the collector rejects spans');
    } else if (this.#failures.end()) this.#log.info('spans are exported again');
  }
}

const NOT_EXPORTED = 'spans cannot be exported';

function byProcess(
  chunks: readonly Chunk[],
): { readonly pid: number; readonly spans: readonly Buffer[] }[] {
  const spans = new Map<number, Buffer[]>();
  for (const { pid, spans: one } of chunks) {
    const known = spans.get(pid);
    if (known === undefined) spans.set(pid, [one]);
    else known.push(one);
  }
  return Array.from(spans, ([pid, list]) => ({ pid, spans: list }));
}

/** The wait that Retry-After asks for, ms: seconds, or a date; 0 for neither. */
function waitOf(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const until = Date.parse(retryAfter) - Date.now();
  return Number.isNaN(until) ? 0 : Math.max(0, until);
}
