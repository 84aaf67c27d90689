/**
 * What is read of the head of a request: its path, its query string, the values of a path, its headers, the address of its
 * client, its token, its trace and its conditions.
 */
import { isIP } from 'node:net';
import { readBearer } from '#app/access/tokens/bearer.js';
import { ClientAddress, addressKey } from '#app/access/logins/client-address.js';
import { MAX_PAIRS } from '#app/script/body/pairs.js';
import { ServiceError } from '#app/base/errors.js';
import { fieldValue } from '#app/base/headers.js';
import { parsePath, type DeclaredPath, type ScriptPath } from '#app/serve/http/transport/path.js';
import { withPathValues } from '#app/serve/http/routes/path-values.js';
import { readHead } from '#app/serve/http/transport/request-head.js';
import { readCondition } from '#app/stored/registry/entity-tag.js';
import { requestedPosition } from '#app/postgres/servers/requested-position.js';
import { parseQueryString } from '#app/script/request/query-string.js';
import { callerTraceIn } from '#app/observe/trace/trace-context.js';
import { vectorsOf } from './corpus.js';
import { Mutator } from './mutator.js';
import { attempt, expect, type Target } from './target.js';

interface Input {
  readonly path: string;
  readonly query: string;
  /** A line each, `name: value`. */
  readonly headers: string;
  /** Which routes there are. */
  readonly routes: number;
}

const PATHS = ['/', '/_QUERIES/a/b', '/_QUERIES/main/a/b', '/_PLUGIN/a/b', '/_QUERIES/registry', '/_QUERIES/registry/main/a/b', '/_QUERIES/openapi.json', '/_QUERIES/main/client.ts', '/_docs/sql/_QUERIES/a/b', '/_docs/sql/orders/7', '/orders/7/items', '/api/_QUERIES/a/b', '/.well-known/x', '/tables', '/_health', '/%C3%A9/%e4%b8%ad', '//evil.com', '/a/../b', '/_QUERIES/größe/b-c_d']; // prettier-ignore
const PATH_TOKENS = ['/', '//', '..', '.', '%2e', '%2E%2e', '%2F', '%5c', '\\', '%', '%00', '%c3%a9', '%ff', '%ed%a0%80', 'é', '\ufffd', '_QUERIES', '_PLUGIN', 'registry', '_docs', 'sql', 'openapi.json', '?', '#', ';', ':', '@', 'a'.repeat(70), '/api']; // prettier-ignore
const QUERIES = ['id=7', 'a=1&b=2', 'name=ann&name=bob&page=2', 'q=a+b%20c', 'x=%C3%A9&y=', '_page=2&_page_size=5', 'a&b&c=1&d=e%26f'].flatMap((one) => Array.from({ length: 12 }, () => one)); // prettier-ignore
const QUERY_TOKENS = ['&', '=', '+', '%', '%2', '%26', '%3D', '%00', '%20', '%c3', '%C3%A9', '%ed%a0%80', '%f4%90%80%80', '\ufffd', '\0', 'id', 'a', 'a[]', ';', '&&', '_renderer=xml', '%69d', 'id=', '&a=b'.repeat(400)]; // prettier-ignore
const HEADERS = [
  'host: localhost\nuser-agent: curl/8\naccept: */*',
  'host: a\ncontent-length: 3\ncontent-type: application/json\nx-request-id: a.b-1',
  'host: a\ntransfer-encoding: chunked\nauthorization: Bearer abc.def-g_h==',
  'host: a\ncookie: a=b; Service-LSN=1:0/16B3740; Service-LSN-gr%C3%B6%C3%9Fe=1:0/2; c=d\nx-forwarded-for: 10.0.0.1, 192.168.7.9:80',
  'host: a\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\norigin: https://a.example',
  'host: a\nif-match: "abc", W/"d"\nif-none-match: *\nservice-lsn: 1:0/16B3740, reports=2:A/B',
  'host: a\nx-forwarded-for: [2001:db8::1]:443, ::ffff:10.1.2.3, fe80::1%eth0\nx-forwarded-for: 127.0.0.1',
];
const HEADER_TOKENS = ['\nhost: b', '\ncontent-length: 5', '\ncontent-length: -1', '\ntransfer-encoding: gzip, chunked', '\nauthorization: Basic x', '\nauthorization: Bearer ', 'bearer ', '\nx-request-id: ', '\nif-match: ', '""', '"', 'W/', ',', ', ', '*', '\nconnection: close', '\nproxy-authorization: hush', '\nx-api-key: hush', '\ncookie: hush', '::', '127.0.0.1', '10.0.0.7', '[::1]:80', '999.1.1.1', '00-', '-01', 'ff-', '\nservice-lsn: 2:A/B', '\ncookie: Service-LSN-a=1:0/1', 'Service-LSN=', 'Service-LSN-', 'reports=', '%C3%B6', ';', '\t', '\x80', '\xff']; // prettier-ignore

const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'x-auth-token', 'x-access-token', 'host', 'content-length']; // prettier-ignore

const ADDRESSES = new ClientAddress(['127.0.0.1', '10.0.0.0/8', 'fe80::/10']);

export function httpTarget(): Target<Input> {
  const paths = new Mutator(PATHS, PATH_TOKENS);
  const vectors = vectorsOf<{ raw: string }>('query-strings').map(({ raw }) => raw);
  const queries = new Mutator([...vectors, ...QUERIES], QUERY_TOKENS);
  const headers = new Mutator(HEADERS, HEADER_TOKENS, true);
  return {
    name: 'HTTP',
    input: (random) => ({
      // As uWebSockets.js decodes it.
      path: `/${paths.next(random).replace(/^\//, '').split('?', 1)[0]!}`.toWellFormed(),
      query: queries.next(random),
      headers: headers.next(random),
      routes: random.between(0, 15),
    }),
    run({ path, query, headers: lines, routes }) {
      const kind = checkPath(path, routes);
      const pairs = checkQuery(query);
      checkPathValues(query, path.split('/').slice(1, 3));
      return `${kind}, ${pairs}, ${checkHeaders(lines)}`;
    },
  };
}

const IDENTIFIER = /^[\p{L}\p{Nd}_-]{1,63}$/u;

function checkPath(path: string, routes: number): string {
  const optional = {
    registry: (routes & 1) !== 0,
    openapi: (routes & 2) !== 0,
    sql: (routes & 4) !== 0,
  };
  const context = (routes & 8) === 0 ? '' : '/api';
  const found = parsePath(path, context, optional);
  switch (found.kind) {
    case 'redirect': {
      expect(/^\/(?![/\\])[!-~]*$/.test(found.location), 'a redirect stays on this host');
      const { kind } = parsePath(found.location, context, optional);
      expect(kind !== 'redirect', 'a redirect leads to a path that is none');
      break;
    }
    case 'plugin':
      expect([found.file, found.func].every(isName), 'the names of a function are names');
      break;
    case 'registry': {
      const { alias = 'a', script } = found;
      const names = [alias, script?.location ?? 'a', script?.name ?? 'a'];
      expect(optional.registry && names.every(isName), 'the names of a record are names');
      break;
    }
    case 'openapi':
      expect(optional.openapi && isName(found.alias ?? 'a'), 'an alias is a name');
      break;
    case 'sql':
      expect(optional.sql, 'the SQL of a call has a route');
      checkCall(found.call, path);
      break;
    case 'script':
    case 'declared':
      checkCall(found, path);
      break;
    default:
  }
  return found.kind === 'rejected' ? found.code : found.kind;
}

function isName(name: string): boolean {
  return IDENTIFIER.test(name) && Buffer.byteLength(name) <= 63;
}

/** Undecoded, a segment is one of the path; decoded, a name is one of its segments. */
function checkCall(call: ScriptPath | DeclaredPath, path: string): void {
  const segments = path.split('/');
  if (call.kind === 'declared') {
    expect(call.segments.every((one) => one !== '' && !/^(?:\.|%2e){1,2}$/i.test(one) && segments.includes(one)), 'the segments of a path are its own'); // prettier-ignore
    return;
  }
  const names = [call.alias, call.folder, call.name].filter((name) => name !== undefined);
  const decoded = segments.slice(-names.length).map((one) => decodeURIComponent(one));
  expect(names.every(isName) && names.join('/') === decoded.join('/'), 'a script is what its path names'); // prettier-ignore
}

type Pairs = ReadonlyMap<string, string | readonly string[]>;

function checkQuery(query: string): string {
  const found = attempt(() => parseQueryString(query), ServiceError);
  const sent = query.split('&').filter((pair) => pair !== '');
  const sound = sent.length <= MAX_PAIRS && !query.includes('\ufffd') && decodable(query);
  if (found instanceof ServiceError) {
    expect(found.code === 'invalid_query_string' && !sound, 'what can be decoded is not refused');
    return 'no query';
  }
  expect(sound, 'what cannot be decoded is refused');
  expect(sameAsBrowser(found, query), 'a query string is read as browsers read it');
  return `${Math.min(found.size, 3)} parameters`;
}

function decodable(query: string): boolean {
  try {
    // Pair by pair: an escape does not reach over a separator.
    return query.split(/[&=]/).every((part) => !decodeURIComponent(part).includes('\0'));
  } catch {
    return false;
  }
}

/** Lone surrogates cannot arrive in a request: URLSearchParams alone replaces them. */
function sameAsBrowser(found: Pairs, query: string): boolean {
  const flat = [...found].flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`));
  const browser = [...new URLSearchParams(`&${query}`)].map(([name, value]) => `${name}=${value}`);
  return flat.map((one) => one.toWellFormed()).sort().join('\n') === browser.sort().join('\n'); // prettier-ignore
}

/** The values of a path are those that it has, whatever the query string says. */
function checkPathValues(query: string, values: readonly string[]): void {
  const named = values.map((raw, i) => [i === 0 ? 'id' : 'a', raw] as const);
  const found = attempt(() => parseQueryString(withPathValues(query, named)), ServiceError);
  if (found instanceof ServiceError) return;
  for (const [name, raw] of named)
    expect(found.get(name) === decodeURIComponent(raw), 'the value of a path takes precedence');
}

function checkHeaders(text: string): string {
  const sent = text.split('\n').flatMap((line): [string, string][] => {
    const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value!.replaceAll(/[\0\r]/g, '')]];
  });
  const request = { forEach: (one: (name: string, value: string) => void) => sent.forEach(([name, value]) => one(name, value)) }; // prettier-ignore
  const head = readHead(request as unknown as Parameters<typeof readHead>[0]);
  const values = (name: string) => sent.filter(([one]) => one === name).map(([, value]) => value);

  const fields = head.packed.split('\n');
  expect(head.packed === '' || fields.length % 2 === 0, 'packed headers are pairs');
  for (let i = 0; i < fields.length; i += 2)
    expect(!CREDENTIALS.includes(fields[i]!), 'no credentials reach a script');
  for (const name of ['accept', 'x-forwarded-for', 'if-match'])
    expect(fieldValue(head.packed, name) === values(name).reduce((all, one) => (all === '' ? one : `${all}, ${one}`), ''), 'a header is read as sent'); // prettier-ignore
  const lengths = values('content-length');
  const codings = values('transfer-encoding');
  const sound = values('host').length < 2 && lengths.length + codings.length < 2 && lengths.every((one) => /^\d{1,15}$/.test(one)) && codings.every((one) => one.toLowerCase() === 'chunked'); // prettier-ignore
  expect(head.sound === sound, 'ambiguous framing is noticed, and nothing else');
  if (sound)
    expect(head.bodyLength === (codings.length > 0 ? -1 : Number(lengths[0] ?? 0)), 'the length of a body is what is announced'); // prettier-ignore
  expect(/^[A-Za-z0-9._-]{1,128}$/.test(head.requestId), 'a request has an id');
  checkPositions(head.packed, values('service-lsn').join(''));
  const trace = callerTraceIn(head.packed)?.traceId;
  expect(trace === undefined || /^(?!0+$)[0-9a-f]{32}$/.test(trace), 'a trace id is one');
  const address = ADDRESSES.of('127.0.0.1', head.forwardedFor);
  expect(isIP(address) !== 0 && addressKey(address) !== '', 'the address of a client is one');
  return `${sound ? 'sound' : 'ambiguous'}, ${checkToken(head.authorization)}, ${checkCondition(head)}`;
}

/** No cookie makes a request a bad one: only a header does, and for every database. */
function checkPositions(packed: string, sent: string): void {
  const found = ['main', 'reports', 'größe'].map((alias) =>
    attempt(() => requestedPosition(packed, alias, 'main'), ServiceError),
  );
  const refused = found.filter((one) => one instanceof ServiceError);
  expect(refused.length === 0 || (sent !== '' && refused.length === found.length), 'a position is refused for what its header has'); // prettier-ignore
}

function checkToken(authorization: string): string {
  const token = attempt(() => readBearer(authorization), ServiceError);
  if (token instanceof ServiceError) return token.code;
  expect(/^[\w.~+/-]+=*$/.test(token) && authorization.endsWith(token), 'a token is one');
  return 'token';
}

function checkCondition({
  ifMatch,
  ifNoneMatch,
}: {
  ifMatch: string;
  ifNoneMatch: string;
}): string {
  const found = attempt(() => readCondition(ifMatch, ifNoneMatch), ServiceError);
  if (found instanceof ServiceError) {
    expect(found.code === 'invalid_request', 'a condition that cannot be read is a bad request');
    return 'bad condition';
  }
  for (const tags of [found?.match, found?.noneMatch])
    for (const tag of Array.isArray(tags) ? (tags as string[]) : [])
      expect(`${ifMatch}${ifNoneMatch}`.includes(`"${tag}"`), 'a tag is one that was sent');
  return found === undefined ? 'no condition' : 'condition';
}
