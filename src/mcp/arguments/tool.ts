/**
 * The interface between the endpoint, tools and resources: a list for each caller, calls, and texts. Types, and the error of
 * the protocol.
 */
import type { McpCall } from './call.js';

export interface ListedTool {
  readonly name: string;
  /** The whole entry of `tools/list`, as JSON. */
  readonly json: string;
}

export interface ToolPage {
  readonly tools: readonly ListedTool[];
  /** The cursor of the next page; undefined after the last. */
  readonly next: string | undefined;
}

/** The outcome of a valid call: the JSON text of an object, or a message that says what the caller should change. */
export type ToolOutcome = { readonly json: string } | { readonly error: string };

/** The arguments of a call, unchecked. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Tools {
  /** page lists the tools of a caller after a cursor. Throws, or rejects with, RpcError for an invalid cursor. */
  page(call: McpCall, cursor: string | undefined): ToolPage | Promise<ToolPage>;
  /** run runs a tool. Throws, or rejects with, RpcError: an unknown tool, a hidden listing. */
  run(call: McpCall, name: string, args: Arguments): Promise<ToolOutcome>;
}

export interface ListedResource {
  /** The whole entry of `resources/list`, as JSON. */
  readonly json: string;
}

export interface ResourcePage {
  readonly resources: readonly ListedResource[];
  /** The cursor of the next page; undefined after the last. */
  readonly next: string | undefined;
}

export interface Resources {
  /** page lists the resources of a caller after a cursor. Throws, or rejects with, RpcError for an invalid cursor. */
  page(call: McpCall, cursor: string | undefined): Promise<ResourcePage>;
  /** read returns the JSON text of a resource; undefined if the caller may read none of that URI. */
  read(call: McpCall, uri: string): Promise<string | undefined>;
}

/** Error codes of JSON-RPC. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** RpcError is an error of the protocol: the response has `error` instead of `result`. */
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
