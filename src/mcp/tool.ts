/** What tools are to the endpoint: a list that depends on who asks, and calls that come to something. Types, and the one error. */
import type { Call } from './call.js';

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string;
  /** The whole entry of `tools/list`, as JSON. */
  readonly json: string;
}

/** A page of the list. */
export interface ToolPage {
  readonly tools: readonly ListedTool[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

/** What came of a call that was understood: `json` is the text of an object; `error` says what the caller is to change. */
export type ToolOutcome = { readonly json: string } | { readonly error: string };

/** Arguments as they were sent. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Tools are what the endpoint offers. */
export interface Tools {
  /** page lists what a caller is offered, from a cursor on. Throws, or rejects with, RpcError for a cursor that is none. */
  page(call: Call, cursor: string | undefined): ToolPage | Promise<ToolPage>;
  /** run runs a tool. Throws, or rejects with, RpcError: an unknown tool, a hidden listing. */
  run(call: Call, name: string, args: Arguments): Promise<ToolOutcome>;
}

/** Codes of JSON-RPC and of MCP. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** RpcError is an error of the protocol: the answer has `error` in the place of `result`. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, status = 200, data?: unknown) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}
