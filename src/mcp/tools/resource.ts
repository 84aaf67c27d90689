/** The interface between the endpoint and resources: a list for each caller, and their texts. Types only. */
import type { McpCall } from '../arguments/call.js';

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
