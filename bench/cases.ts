/**
 * The cases of the benchmark: requests, expected responses, and numbers of connections. The SQL is in queries/ for servers
 * with templates, and in peers/statements.ts for the other peers; the plugin is in plugins/.
 */
import {
  ACCOUNTS,
  DOCUMENTS,
  ITEMS,
  WORLDS,
  account,
  document,
  fortunes,
  item,
  world,
  type Account,
} from './data.js';

export type Method = 'GET' | 'POST' | 'DELETE';

export interface Case {
  readonly name: string;
  readonly title: string;
  readonly method: Method;
  /** The method of the request of an id, where it is not that of all. */
  methodOf?(id: number): Method;
  /** Ids of requests are from 1 to this. */
  readonly range: number;
  path(id: number): string;
  /** JSON body without a tab. */
  body?(id: number): string;
  /** answer is the expected body, parsed. */
  answer(id: number): unknown;
  /** The part of the answer that is compared; all of it when absent. */
  readonly part?: (answer: unknown) => unknown;
  /** Connections of an ordinary run; without any, it runs when it is named, or in a full run. */
  readonly ordinary: readonly number[];
  /** Connections of a full run. */
  readonly full: readonly number[];
  /** How many rows each answered request leaves in `events`. */
  readonly inserts?: number;
  /** Requests that other connections send at the same time. */
  readonly beside?: { readonly path: string; readonly connections: number };
  /** Whether a plugin answers, instead of PostgreSQL. */
  readonly plugin?: boolean;
  /** Whether it is a call of an MCP tool, which peers do not have. */
  readonly tool?: boolean;
  /** Whether it is of the pair that compares bodies, which peers do not have. */
  readonly pair?: boolean;
  /** Whether its script has several statements, which peers do not have. */
  readonly several?: boolean;
  /** Whether it is of a public benchmark. Those of one statement are in peers/statements.ts, for the peers that read it. */
  readonly arena?: 'one statement' | 'several';
}

/** methodOf is the method of the request of an id. */
export function methodOf(subject: Case, id: number): Method {
  return subject.methodOf?.(id) ?? subject.method;
}

const PREFIX = '/_QUERIES/bench';
/** Path of the handlers of plugins/bench.c. */
export const PLUGIN = '/_PLUGIN/bench';
/** Added to ids up to itself, it gives numbers with the same number of digits. */
const CALLERS = 100_000;
const ALL = [1, 32, 256, 1000];
const PAGE = 100;
const SLICE = 20;
const SINCE = '2024-01-01T00:00:00Z';
/** Rows of a request in TechEmpower's queries and updates. */
const TWENTY = 20;
/** Width of the range of prices that has 50 items. */
const PRICES = 50;

const one = {
  method: 'GET',
  range: ACCOUNTS,
  path: (id: number) => `${PREFIX}/one?id=${id}`,
  answer: (id: number) => [account(id)],
} as const;

export const CASES: readonly Case[] = [
  { ...one, name: 'one', title: 'one row by key', ordinary: ALL, full: ALL },
  {
    ...one,
    name: 'interpolated',
    title: 'one row by key, the value in the SQL text',
    path: (id) => `${PREFIX}/interpolated?id=${id}`,
    ordinary: [32],
    full: ALL,
  },
  {
    ...one,
    name: 'mixed',
    title: 'one row by key while 4 connections run a 200 ms statement',
    ordinary: [32],
    full: [32, 256],
    beside: { path: `${PREFIX}/slow`, connections: 4 },
  },
  {
    name: 'page',
    title: 'page of 100 rows',
    method: 'GET',
    range: ACCOUNTS - PAGE + 1,
    path: (id) => `${PREFIX}/page?from=${id}`,
    answer: (id) => rows(id, PAGE),
    ordinary: [32, 256],
    full: ALL,
  },
  {
    name: 'ten',
    title: 'ten bound parameters, five conditionals',
    method: 'GET',
    range: ACCOUNTS - SLICE,
    path: (id) =>
      `${PREFIX}/ten?from=${id}&to=${id + SLICE}&owner=nobody&min=1000&max=9000&city=city7&active=true` +
      `&since=${SINCE}&limit=10&offset=0`,
    answer: (id) =>
      rows(id, SLICE)
        .filter((row) => row.balance >= 1000 && row.balance <= 9000)
        .filter((row) => row.city !== 'city7' && row.active)
        .slice(0, 10),
    ordinary: [32],
    full: ALL,
  },
  {
    name: 'insert',
    title: 'insert of one row',
    method: 'POST',
    range: ACCOUNTS,
    path: (id) => `${PREFIX}/insert?account=${id}&kind=visit&note=from+the+benchmark`,
    answer: () => ({ rows_affected: 1 }),
    ordinary: [1, 32],
    full: ALL,
    inserts: 1,
  },
  {
    name: 'three',
    title: 'three inserts of one row, as one transaction',
    method: 'POST',
    range: ACCOUNTS,
    path: (id) => `${PREFIX}/three?account=${id}&kind=visit&note=from+the+benchmark`,
    answer: () => ({ rows_affected: 1 }),
    ordinary: [1, 32],
    full: [1, 32, 256],
    inserts: 3,
    several: true,
  },
  {
    name: 'six',
    title: 'insert of six columns, 1 KB in the query string',
    method: 'POST',
    range: ACCOUNTS,
    path: (id) => `${PREFIX}/six?${new URLSearchParams(event(id)).toString()}`,
    answer: () => ({ rows_affected: 1 }),
    ordinary: [32],
    full: ALL,
    inserts: 1,
    pair: true,
  },
  {
    name: 'body',
    title: 'the same insert from a JSON body',
    method: 'POST',
    range: ACCOUNTS,
    path: () => `${PREFIX}/body`,
    body: (id) => JSON.stringify(event(id)),
    answer: () => ({ rows_affected: 1 }),
    ordinary: [32],
    full: ALL,
    inserts: 1,
    pair: true,
  },
  {
    name: 'megabyte',
    title: 'result of 1 MB',
    method: 'GET',
    range: DOCUMENTS - PAGE + 1,
    path: (id) => `${PREFIX}/megabyte?from=${id}`,
    answer: (id) => Array.from({ length: PAGE }, (_, index) => document(id + index)),
    ordinary: [8],
    full: [1, 8, 32],
  },
  {
    name: 'plugin',
    title: 'call of a plugin',
    method: 'GET',
    range: CALLERS,
    path: (id) => `${PLUGIN}/Hello?name=${caller(id)}`,
    answer: greeting,
    ordinary: [32],
    full: [1, 32, 256],
    plugin: true,
  },
  {
    name: 'mcp',
    title: 'one row by key, as a call of a tool',
    method: 'POST',
    range: ACCOUNTS,
    path: () => '/_mcp',
    body: toolCall,
    answer: (id) => [account(id)],
    part: (answer) =>
      (answer as { result?: { structuredContent?: { rows?: unknown } } } | undefined)?.result
        ?.structuredContent?.rows,
    ordinary: [32],
    full: [1, 32, 256],
    tool: true,
  },
  {
    name: 'queries',
    title: '20 rows by their keys, as queries?n=20 of TechEmpower',
    method: 'GET',
    range: WORLDS,
    path: (id) => `${PREFIX}/queries?ids=${list(twenty(id))}`,
    answer: (id) => twenty(id).map(world),
    ordinary: [],
    full: [32, 256],
    arena: 'one statement',
  },
  {
    name: 'updates',
    title: '20 rows updated by their keys, as updates?n=20 of TechEmpower',
    method: 'POST',
    range: WORLDS,
    path: (id) => `${PREFIX}/updates?ids=${list(twenty(id))}&number=${id}`,
    answer: () => ({ rows_affected: TWENTY }),
    ordinary: [],
    full: [32, 256],
    arena: 'one statement',
  },
  {
    name: 'fortunes',
    title: '12 rows and one more, sorted, as fortunes of TechEmpower, but JSON',
    method: 'GET',
    range: WORLDS,
    path: () => `${PREFIX}/fortunes`,
    answer: fortunes,
    ordinary: [],
    full: [32, 256],
    arena: 'one statement',
  },
  {
    name: 'async-db',
    title: '50 rows of a range, 4 KB, as async-db of HttpArena',
    method: 'GET',
    range: ITEMS - PRICES,
    path: (id) => `${PREFIX}/items?min=${id}&max=${id + PRICES - 1}`,
    answer: (id) =>
      Array.from({ length: PRICES }, (_, i) => item(itemOfPrice(id + i))).sort(
        (a, b) => a.id - b.id,
      ),
    ordinary: [],
    full: [1024],
    arena: 'one statement',
  },
  {
    name: 'crud',
    title: '75 % reads of a row, 20 % writes, 5 % deletes, as crud of HttpArena',
    method: 'GET',
    methodOf: crudMethod,
    range: ITEMS,
    path: (id) => `${PREFIX}/crud?id=${id}${crudMethod(id) === 'POST' ? '&quantity=7' : ''}`,
    answer: (id) => (crudMethod(id) === 'GET' ? [item(id)] : 'changed'),
    // How many rows a delete finds depends on what was written before.
    part: (answer) =>
      typeof answer === 'object' && answer !== null && 'rows_affected' in answer
        ? 'changed'
        : answer,
    ordinary: [],
    full: [256],
    arena: 'several',
  },
];

/** SQL_CASES are the names of the cases that PostgreSQL answers, whatever the server. */
export const SQL_CASES = CASES.filter(
  ({ plugin, tool, pair, several, arena }) => !plugin && !tool && !pair && !several && !arena,
).map(({ name }) => name);

/** ARENA_CASES are those of public benchmarks that are one statement. */
export const ARENA_CASES = CASES.filter(({ arena }) => arena === 'one statement').map(
  ({ name }) => name,
);

/** Of twenty requests of crud one deletes, four write, and the others read. */
function crudMethod(id: number): Method {
  const rest = id % 20;
  if (rest === 0) return 'DELETE';
  return rest < 5 ? 'POST' : 'GET';
}

/** Twenty keys, in order. */
function twenty(id: number): number[] {
  return Array.from({ length: TWENTY }, (_, i) => ((id + i * 499) % WORLDS) + 1).sort(
    (a, b) => a - b,
  );
}

function list(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

/** The id of the item with a price: the inverse of 7919 in arithmetic modulo ITEMS is 17679. */
function itemOfPrice(price: number): number {
  return (price * 17679) % ITEMS || ITEMS;
}

/** The six columns of an event, 1 KB together. */
function event(id: number): Record<string, string> {
  return {
    account: String(id),
    kind: 'visit',
    note: 'from the benchmark '.repeat(46),
    price: '1234.50',
    place: 'Brzeźno koło Gdańska',
    at: '2026-01-02T03:04:05Z',
  };
}

/** greeting is the plugin's answer; all have the same length. */
export function greeting(id: number): object {
  return { msg: `Hello, ${caller(id)}!` };
}

/** The MCP message that selects a row. */
function toolCall(id: number): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'service.select_table',
      arguments: { schema: 'public', table: 'accounts', filters: { id } },
    },
  });
}

function caller(id: number): string {
  return `caller${CALLERS + id}`;
}

function rows(from: number, count: number): Account[] {
  return Array.from({ length: count }, (_, index) => account(from + index));
}

/**
 * ids returns `count` ids of a case in a pseudo-random order without repetition before all are used: steps of a stride that
 * is coprime to the range. The start depends on `seed`.
 */
export function ids({ range }: Case, seed: number, count: number): number[] {
  const stride = coprime(range, Math.floor(range * 0.618));
  const start = (seed * 7919) % range;
  return Array.from({ length: count }, (_, index) => ((start + index * stride) % range) + 1);
}

function coprime(range: number, from: number): number {
  let stride = Math.max(1, from);
  while (divisor(stride, range) !== 1) stride += 1;
  return stride;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
