/**
 * The headers of a request, read in one pass: packed for templates, and what the front end itself looks at. Refuses
 * messages whose framing two programs could read differently: a second Content-Length or Host, a Content-Length that
 * is no number, a Transfer-Encoding other than chunked.
 */
import type { HttpRequest } from 'uWebSockets.js';
import { addAuthorization } from '../auth/bearer.js';

/** What readHead found. One object, reused: valid until the next call. */
export interface RequestHead {
  /** As QueryRequest.headers: `name\nvalue\n…`, without credential headers, Host and Content-Length. */
  packed: string;
  /** The caller's X-Request-Id when it is acceptable, otherwise empty. */
  requestId: string;
  /** Announced length of the body, -1 when it is chunked, 0 when there is none. */
  bodyLength: number;
  /** False when the framing is ambiguous. */
  sound: boolean;
  /** Value of Authorization, empty when there is none; see addAuthorization for several. */
  authorization: string;
  origin: string;
  /** Whether it has Access-Control-Request-Method, as preflights do. */
  preflight: boolean;
  /** Values of X-Forwarded-For, separated by commas. */
  forwardedFor: string;
  /** Value of If-Match, empty when there is none; of several, or of one without a value, with commas between. */
  ifMatch: string;
  /** The same for If-None-Match. */
  ifNoneMatch: string;
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

const SPECIAL = new Map([
  ['authorization', AUTHORIZATION],
  ['proxy-authorization', CREDENTIAL],
  ['cookie', CREDENTIAL],
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
]);

const ACCEPTABLE_ID = /^[A-Za-z0-9._-]{1,128}$/;
const DIGITS = /^[0-9]{1,15}$/;

const head: RequestHead = {
  packed: '',
  requestId: '',
  bodyLength: 0,
  sound: true,
  authorization: '',
  origin: '',
  preflight: false,
  forwardedFor: '',
  ifMatch: '',
  ifNoneMatch: '',
};
let hosts = 0;
let framings = 0;
let authorized = false;

/** readHead reads the headers of a request while its handler runs. */
export function readHead(req: HttpRequest): Readonly<RequestHead> {
  head.packed = '';
  head.requestId = '';
  head.bodyLength = 0;
  head.sound = true;
  head.authorization = '';
  head.origin = '';
  head.preflight = false;
  head.forwardedFor = '';
  head.ifMatch = '';
  head.ifNoneMatch = '';
  hosts = 0;
  framings = 0;
  authorized = false;
  req.forEach(readHeader);
  if (hosts > 1 || framings > 1) head.sound = false;
  return head;
}

function readHeader(name: string, value: string): void {
  switch (SPECIAL.get(name)) {
    case undefined:
      pack(name, value);
      break;
    case HOST:
      hosts++;
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
    case REQUEST_ID:
      if (ACCEPTABLE_ID.test(value)) head.requestId = value;
      pack(name, value);
      break;
  }
}

/** A header that is there without a value must not read as one that is not there. */
function addTags(before: string, value: string): string {
  return before === '' && value !== '' ? value : `${before},${value}`;
}

function pack(name: string, value: string): void {
  head.packed += head.packed === '' ? `${name}\n${value}` : `\n${name}\n${value}`;
}
