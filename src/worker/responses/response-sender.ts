/**
 * Sends the responses of a worker to the HTTP process. It knows the requests without a response, of which each gets exactly
 * one, and reports their spans.
 */
import { JSON_BODY, NO_BODY, XML_BODY } from '../../messages/batch.js';
import type { McpCall } from '../../mcp/arguments/call.js';
import type { McpResponse } from '../../mcp/protocol/endpoint.js';
import { SCRIPT } from '../../observe/metrics/catalogue.js';
import type { LargeValue } from '../../native/pipeline.js';
import { LONGEST_LINES } from '../../native/response-ring.js';
import type { WalPosition } from '../../postgres/statement/wal-position.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import { SlotTable } from '../../base/slot-table.js';
import { PositionLines } from './position-lines.js';
import type { Query } from '../query.js';
import type { QuerySpans } from '../timing/query-spans.js';
import type { ResponseBatcher } from './response-batcher.js';

export class ResponseSender {
  /** The requests without a response yet, by the HTTP process's id. */
  readonly inFlight: SlotTable<Query | McpCall>;
  readonly #positions: PositionLines;
  readonly #batcher: ResponseBatcher;
  readonly #spans: QuerySpans | undefined;

  /** Without `spans` nothing is traced. */
  constructor(
    settings: Pick<WorkerSettings, 'queue' | 'replication' | 'defaultAlias'>,
    batcher: ResponseBatcher,
    spans: QuerySpans | undefined,
  ) {
    this.inFlight = new SlotTable(settings.queue + 1); // as many slots as the HTTP process has
    this.#positions = new PositionLines(settings);
    this.#batcher = batcher;
    this.#spans = spans;
  }

  /** send sends a body in the form that the request asks for. */
  send(query: Query, status: number, body: string, lines = ''): void {
    this.respond(query, status, query.xml ? XML_BODY : JSON_BODY, body, lines);
  }

  /** respond sends a body of any type, or one that is kept apart from the ring. `code` is an error's. */
  respond(
    query: Query,
    status: number,
    type: number,
    body: string | LargeValue,
    lines: string,
    code?: string,
  ): void {
    const { id, committedAt, request } = query;
    this.#remove(query, status, code);
    const own = query.withTimes(lines);
    const all =
      committedAt === undefined ? own : this.#withPosition(own, request.alias, committedAt);
    this.#batcher.respond(id, status, type, all, body);
  }

  /** finish sends the response whose body a pipeline has placed in the ring; only now its size is known. */
  finish(query: Query, place: number, status: number): void {
    const { id, cost } = query;
    this.#remove(query, status);
    const bytes = this.#batcher.finish(place, id, status, JSON_BODY);
    if (cost !== undefined) cost.counts[SCRIPT.bytes]! += bytes;
  }

  sendMcp(call: McpCall, { status, body }: McpResponse): void {
    this.inFlight.remove(call.id);
    this.#spans?.answeredMcp(call, status);
    this.#batcher.respond(call.id, status, body === '' ? NO_BODY : JSON_BODY, '', body);
  }

  /** Removes a query that gets its response now. */
  #remove(query: Query, status: number, code?: string): void {
    this.inFlight.remove(query.id);
    this.#spans?.answered(query, status, code);
  }

  /** Adds the position of a write, unless the script's own lines leave no room. */
  #withPosition(lines: string, alias: string, position: WalPosition): string {
    const all = lines + this.#positions.of(alias, position);
    return all.length > LONGEST_LINES ? lines : all;
  }
}
