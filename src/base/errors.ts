/**
 * Errors as callers see them: their codes, HTTP statuses, messages and bodies. A code is a stable word of the table below,
 * or an SQLSTATE of five characters.
 */

/** HTTP status and default message of every error code. */
export const ERRORS = {
  invalid_identifier: [400, 'invalid identifier in path'],
  invalid_path: [400, 'invalid path'],
  invalid_script_path: [400, 'invalid script path'],
  invalid_request: [400, 'invalid request'],
  invalid_query_string: [400, 'invalid query string'],
  invalid_value: [400, 'invalid value'],
  script_not_usable: [400, 'could not parse script'],
  invalid_parameter: [400, 'invalid parameter'],
  unknown_parameter: [400, 'unknown parameter'],
  unknown_database: [400, 'database not registered'],
  invalid_listing: [400, 'invalid listing'],
  invalid_body: [400, 'invalid request body'],
  invalid_record: [400, 'invalid json body'],
  invalid_template: [400, 'could not parse script'],
  token_missing: [401, 'authorization token is empty'],
  invalid_token: [401, 'failed JWT token parser'],
  invalid_claims: [401, 'failed JWT claims validated'],
  login_failed: [401, 'user not found'],
  login_missing: [400, 'user not found'],
  listing_hidden: [401, 'unauthorized listing'],
  permission_denied: [403, 'permission denied'],
  registration_denied: [403, 'registration not permitted'],
  not_found: [404, '404 page not found'],
  script_not_found: [404, 'script not found'],
  query_not_found: [404, 'query not found'],
  row_not_found: [404, 'row not found'],
  version_not_found: [404, 'version not found'],
  plugin_not_found: [404, 'plugin not found'],
  handler_not_found: [404, 'plugin has no such function'],
  method_not_allowed: [405, 'method not allowed'],
  breaking_change: [409, 'the change breaks callers'],
  precondition_failed: [412, 'the script was changed by somebody else'],
  body_too_large: [413, 'request body is too large'],
  unsupported_media_type: [415, 'unsupported media type'],
  misdirected_request: [
    421,
    'in development mode only requests to this machine are served: use http://localhost or http://127.0.0.1',
  ],
  too_many_logins: [429, 'too many failed logins, try again later'],
  uri_too_long: [414, 'request target is too long'],
  statement_not_allowed: [500, 'statement is not allowed in a script'],
  script_not_proved: [500, 'the script is broken, check your service logs'],
  result_too_large: [500, 'result is too large'],
  placeholder_in_literal: [
    500,
    `the script has a placeholder inside quotes or a comment, where it is plain text: write '%' || {{sqlVal "name"}} || '%', not '%{{sqlVal "name"}}%'`,
  ],
  more_than_one_row: [500, 'the script answers with one row, but its statement returns several'],
  more_than_one_column: [
    500,
    'the script answers with one value, so that its statement must return one column',
  ],
  missing_column: [500, 'the statement of the script lacks a column that a header needs'],
  no_rows_returned: [
    500,
    'the script answers with what its statement returns, but that returns no rows: it needs RETURNING',
  ],
  plugin_load_failed: [500, 'plugin could not be loaded, check your service logs'],
  script_broken: [500, 'could not parse script, check your service logs'],
  internal: [500, 'internal error'],
  history_missing: [501, 'the history of scripts is not kept'],
  worker_lost: [502, 'the worker that ran this request was lost'],
  plugin_crashed: [502, 'the plugin crashed'],
  plugin_response_invalid: [502, 'the plugin gave no usable answer'],
  plugin_response_too_large: [502, 'the answer of the plugin is too large'],
  busy: [503, 'service is busy'],
  timeout: [504, 'request took too long'],
  plugin_timeout: [504, 'the plugin took too long'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  readonly detail?: string | undefined;
  readonly cause?: unknown;
  readonly allow?: string | undefined;
  /** Types of bodies for the Accept-Post header, or the one for the method of the request. */
  readonly acceptPost?: string | undefined;
  /** Further members of a JSON body. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  /** Seconds for the Retry-After header. */
  readonly retryAfter?: number | undefined;
  /** Scopes that the token of the caller lacks, separated by spaces. */
  readonly scope?: string | undefined;
}

/** An error whose code and message are the response to the caller. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** HTTP status, 400-599. */
  readonly status: number;
  readonly detail: string | undefined;
  readonly allow: string | undefined;
  readonly acceptPost: string | undefined;
  readonly members: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfter: number | undefined;
  readonly scope: string | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code][1], details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = ERRORS[code][0];
    this.detail = details.detail;
    this.allow = details.allow;
    this.acceptPost = details.acceptPost;
    this.members = details.members;
    this.retryAfter = details.retryAfter;
    this.scope = details.scope;
  }
}

/** Message of a failed statement, unless a script raised the error on purpose (isRaised). */
export const SQL_FAILED = 'could not execute sql, check your service logs';

const CONFLICTS = new Set(['23505', '23503', '23P01', '40001', '40P01', '55P03']);

/** statusOfSqlState is the HTTP status of an SQLSTATE (five characters): nnn for `PTnnn`, which a script raises. */
export function statusOfSqlState(state: string): number {
  if (CONFLICTS.has(state)) return 409;
  if (state === '42501') return 403;
  if (state === '57014') return 504;
  if (state === '25006' || state.startsWith('57P0')) return 503;
  if (state === 'P0001') return 400;
  if (state === '08P01') return 500; // the values do not fit the statement: not a lost connection
  const own = raisedStatus(state);
  if (own !== undefined) return own;
  switch (state.slice(0, 2)) {
    case '08':
    case '53':
      return 503;
    case '22':
    case '23':
      return 400;
    default:
      return 500;
  }
}

/** isRaised tells whether a script raises this SQLSTATE on purpose, with a message for the caller. */
export function isRaised(state: string): boolean {
  return state === 'P0001' || raisedStatus(state) !== undefined;
}

function raisedStatus(state: string): number | undefined {
  if (!state.startsWith('PT')) return undefined;
  const status = Number(state.slice(2));
  return status >= 400 && status <= 599 ? status : undefined;
}

/**
 * errorBody is the body of an error response, JSON or (with `_renderer=xml`) XML. `extra` are further members, of which XML
 * has the texts and numbers.
 */
export function errorBody(
  message: string,
  code: string,
  xml: boolean,
  extra?: Readonly<Record<string, unknown>>,
): string {
  const members = { error: message, code, ...extra };
  if (!xml) return JSON.stringify(members);
  const elements = Object.entries(members)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `<${name}>${escapeXml(`${value as string | number}`)}</${name}>`);
  return `<objects>${elements.join('')}</objects>`;
}

export function wantsXml(query: string): boolean {
  return query.includes('_renderer=xml') && /(?:^|&)_renderer=xml(?:&|$)/.test(query);
}

/**
 * escapeXml escapes text for an XML element. A carriage return is escaped because parsers read it as a line feed;
 * characters that XML 1.0 does not allow become U+FFFD.
 */
export function escapeXml(text: string): string {
  return XML_SPECIAL.test(text)
    ? text.replace(XML_SPECIALS, (c) => XML_ESCAPES[c] ?? '\uFFFD')
    : text;
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#13;',
};
const SPECIAL = '[&<>\\u0000-\\u0008\\u000B-\\u001F\\uD800-\\uDFFF\\uFFFE\\uFFFF]';
const XML_SPECIAL = new RegExp(SPECIAL, 'u');
const XML_SPECIALS = new RegExp(SPECIAL, 'gu');
