/**
 * Reads the headers of a request in one pass: packed for templates, and those that the HTTP process itself uses. Detects
 * framing that two programs could read differently: a second Content-Length or Host, a Content-Length that is not a
 * number, a Transfer-Encoding other than chunked.
 */
import { randomBytes } from 'node:crypto';
import type { HttpRequest } from 'uWebSockets.js';
import { addAuthorization } from '../../../access/tokens/bearer.js';
import { POSITION_NAME } from '../../../base/lsn-name.js';

/** One object, reused: valid until the next call of readHead. */
export class RequestHead {
  /**
   * As WorkerRequest.headers: `name\nvalue\n…`, without credential headers, Host and Content-Length. Cookies with positions
   * are in it as a header Service-LSN.
   */
  packed = '';
  /** The client's X-Request-Id when it is acceptable, otherwise a new one of `[0-9a-z-]`. */
  requestId = '';
  /** Announced length of the body (bytes), -1 when it is chunked, 0 without a body. */
  bodyLength = 0;
  /** Values of Connection, separated by commas. */
  connection = '';
  /** False when the framing is ambiguous. */
  sound = true;
  /** Empty if not sent; see addAuthorization for several. */
  authorization = '';
  /** Empty if not sent. */
  host = '';
  origin = '';
  /** Whether it has Access-Control-Request-Method, as preflights have. */
  preflight = false;
  /** Values of X-Forwarded-For, separated by commas. */
  forwardedFor = '';
  /** Values separated by commas; empty if not sent, a comma when there is one without a value. */
  ifMatch = '';
  /** As ifMatch. */
  ifNoneMatch = '';
  /** Empty if not sent; several are one value that is not valid. */
  traceparent = '';
}

const CREDENTIAL = 1;
const HOST = 2;
const CONTENT_LENGTH = 3;
const TRANSFER_ENCODING = 4;
const REQUEST_ID = 5;
const AUTHORIZATION = 6;
const ORIGIN = 7;
const PREFLIGHT_METHOD = 8;
const FORWARDED_FOR = 9;
const IF_MATCH = 10;
const IF_NONE_MATCH = 11;
const CONNECTION = 12;
const COOKIE = 13;
const TRACEPARENT = 14;

const SPECIAL = new Map([
  ['authorization', AUTHORIZATION],
  ['proxy-authorization', CREDENTIAL],
  ['cookie', COOKIE],
  ['x-api-key', CREDENTIAL],
  ['x-auth-token', CREDENTIAL],
  ['x-access-token', CREDENTIAL],
  ['host', HOST],
  ['content-length', CONTENT_LENGTH],
  ['transfer-encoding', TRANSFER_ENCODING],
  ['x-request-id', REQUEST_ID],
  ['origin', ORIGIN],
  ['access-control-request-method', PREFLIGHT_METHOD],
  ['x-forwarded-for', FORWARDED_FOR],
  ['if-match', IF_MATCH],
  ['if-none-match', IF_NONE_MATCH],
  ['connection', CONNECTION],
  ['traceparent', TRACEPARENT],
]);

const ACCEPTABLE_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** The cookies that responses to writes may set; any other value is a cookie of another program. */
const POSITION_COOKIES = new RegExp(
  `(?:^|;) *Service-LSN(?:-(${POSITION_NAME}))?=([0-9]{1,10}:[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8})(?= *(?:;|$))`,
  'g',
);
const DIGITS = /^[0-9]{1,15}$/;

const head = new RequestHead();
let hosts = 0;
let framings = 0;
let authorized = false;
/** Positions of cookies, in the form of the header. */
let positions = '';

/** A prefix for each process and a counter: unique enough to find a line in a log. */
const idPrefix = randomBytes(6).toString('hex');
let idCounter = 0;

/** readHead must be called before the handler of uWebSockets.js returns. */
export function readHead(req: HttpRequest): Readonly<RequestHead> {
  head.packed = '';
  head.requestId = '';
  head.bodyLength = 0;
  head.connection = '';
  head.sound = true;
  head.authorization = '';
  head.host = '';
  head.origin = '';
  head.preflight = false;
  head.forwardedFor = '';
  head.ifMatch = '';
  head.ifNoneMatch = '';
  head.traceparent = '';
  hosts = 0;
  framings = 0;
  authorized = false;
  positions = '';
  req.forEach(readHeader);
  if (positions !== '') pack('service-lsn', positions);
  if (hosts > 1 || framings > 1) head.sound = false;
  if (head.requestId === '') head.requestId = `${idPrefix}-${(++idCounter).toString(36)}`;
  return head;
}

function readHeader(name: string, value: string): void {
  switch (SPECIAL.get(name)) {
    case undefined:
      pack(name, value);
      break;
    case HOST:
      hosts++;
      head.host = value;
      break;
    case CONTENT_LENGTH:
      framings++;
      if (DIGITS.test(value)) head.bodyLength = Number(value);
      else head.sound = false;
      break;
    case TRANSFER_ENCODING:
      framings++;
      head.bodyLength = -1;
      if (value.toLowerCase() !== 'chunked') head.sound = false;
      pack(name, value);
      break;
    case CONNECTION:
      head.connection += head.connection === '' ? value : `,${value}`;
      pack(name, value);
      break;
    case AUTHORIZATION:
      head.authorization = addAuthorization(authorized ? head.authorization : undefined, value);
      authorized = true;
      break;
    case ORIGIN:
      head.origin = value;
      pack(name, value);
      break;
    case PREFLIGHT_METHOD:
      head.preflight = true;
      pack(name, value);
      break;
    case FORWARDED_FOR:
      head.forwardedFor += head.forwardedFor === '' ? value : `,${value}`;
      pack(name, value);
      break;
    case IF_MATCH:
      head.ifMatch = addTags(head.ifMatch, value);
      pack(name, value);
      break;
    case IF_NONE_MATCH:
      head.ifNoneMatch = addTags(head.ifNoneMatch, value);
      pack(name, value);
      break;
    case COOKIE:
      addPositions(value);
      break;
    case TRACEPARENT:
      head.traceparent += head.traceparent === '' ? value : `,${value}`;
      pack(name, value);
      break;
    case REQUEST_ID:
      if (ACCEPTABLE_ID.test(value)) head.requestId = value;
      pack(name, value);
      break;
  }
}

function addPositions(cookies: string): void {
  let found: RegExpExecArray | null;
  while ((found = POSITION_COOKIES.exec(cookies)) !== null) {
    const [, name, position = ''] = found;
    if (positions !== '') positions += ', ';
    positions += name === undefined ? position : `${name}=${position}`;
  }
}

/** A header without a value must differ from no header. */
function addTags(before: string, value: string): string {
  return before === '' && value !== '' ? value : `${before},${value}`;
}

function pack(name: string, value: string): void {
  head.packed += head.packed === '' ? `${name}\n${value}` : `\n${name}\n${value}`;
}
