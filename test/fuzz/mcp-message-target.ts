/**
 * The MCP endpoint: each message has one response of JSON-RPC with its id, or none if it is a notification, and nothing
 * fails inside.
 */
import type { Logger } from '#app/observe/log.js';
import { McpEndpoint } from '#app/mcp/protocol/endpoint.js';
import { FixedResources, FixedTools, modern, packed, request } from '../mcp/fixed-tools.js';
import { callWith } from '../mcp/tested-call.js';
import { JSON_TOKENS, parsedOf } from './json-texts.js';
import { Mutator } from './mutator.js';
import { expect, type Target } from './target.js';

interface Message {
  readonly text: string;
  /** In pairs, as packed. */
  readonly headers: string;
}

const METHODS = ['ping', 'initialize', 'tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read', 'server/discover', 'notifications/initialized', 'toString']; // prettier-ignore

export function messageTarget(): Target<Message> {
  const ids = [1, 0, -5, 'a"b', '', '2'];
  const params = [undefined, {}, { name: 'echo', arguments: { a: [1, 'ü'] } }, { name: 'fail' }, { name: 'hidden' }, { uri: 'fixed:a' }, { cursor: '2' }, { protocolVersion: '2025-06-18' }]; // prettier-ignore
  const messages = METHODS.flatMap((method, i) => [
    JSON.stringify(request(method, params[i % params.length], ids[i % ids.length])),
    JSON.stringify({ jsonrpc: '2.0', method, params: params[(i + 3) % params.length] }),
    JSON.stringify(modern(method, { ...params[i % params.length] })[0]),
  ]);
  const ofModern = METHODS.map((method) => packed(modern(method, { name: 'echo' })[1]));
  const members = ['"jsonrpc":"2.0"', '"id":', '"id":9007199254740993', '"id":1.5', '"id":1e400', '"id":null', '"\\u0069d":7', '"method":', '"params":', '"name":"echo"', '"arguments":', '"_meta":', '"cursor":', '"result":{}', '"io.modelcontextprotocol/protocolVersion":"2026-07-28"', ...METHODS.map((method) => `"${method}"`)]; // prettier-ignore
  const texts = new Mutator(messages, [...JSON_TOKENS, ...members]);
  const headers = new Mutator([...ofModern, 'mcp-protocol-version\n2025-11-25\n', 'accept\n*/*\n'], ['mcp-name\n', 'mcp-method\n', '=?base64?', '?=', 'ZWNobw==', '\n', 'echo', ' ', '2026-07-28'], true); // prettier-ignore
  const failures: unknown[] = [];
  const log = { debug: () => undefined, error: (fields: unknown) => failures.push(fields) } as unknown as Logger; // prettier-ignore
  const expose = { databases: true, schemas: true, tables: true };
  const endpoint = new McpEndpoint(new FixedTools(), new FixedResources(), {
    version: '2.1.0',
    path: '/_mcp',
    expose,
    log,
  });
  return {
    name: 'MCP messages',
    input: (random) => ({
      text: texts.next(random),
      headers: random.next() < 0.5 ? '' : headers.next(random),
    }),
    async run({ text, headers: lines }) {
      const call = callWith({ method: 'POST', message: text, headers: lines });
      const { status, body } = await endpoint.respond(call);
      expect(failures.length === 0, 'nothing fails inside');
      if (body === '') {
        expect(status === 202 && isNotification(text), 'a notification alone has no response');
        return 'notification';
      }
      return checkResponse(text, status, JSON.parse(body) as Record<string, unknown>, body);
    },
  };
}

function isNotification(text: string): boolean {
  const value = parsedOf(text)?.value;
  return typeof value === 'object' && value !== null && !('id' in value);
}

function checkResponse(
  text: string,
  status: number,
  response: Record<string, unknown>,
  body: string,
): string {
  const { jsonrpc, id, result, error } = response;
  expect(
    jsonrpc === '2.0' && (result === undefined) !== (error === undefined),
    'a response is one',
  );
  const sent = parsedOf(text)?.value as { id?: unknown } | undefined;
  if (id !== undefined) {
    expect(id === sent?.id || Object.is(id, Math.abs(Number(sent?.id))), 'an id is the one sent');
    // A long number keeps its digits.
    const digits = /^\{"jsonrpc":"2\.0","id":(-?\d{16,})[,}]/.exec(body)?.[1];
    expect(digits === undefined || text.includes(digits), 'an id keeps its digits');
  }
  if (error === undefined) {
    expect(status === 200 && id !== undefined, 'a result has an id');
    return 'result';
  }
  const { code, message } = error as { code: unknown; message: unknown };
  expect(Number.isInteger(code) && typeof message === 'string' && message !== '', 'an error is one'); // prettier-ignore
  expect(status >= 200 && status < 500, 'an error is none of the service');
  return `error ${String(code)}`;
}
