import { readFileSync } from 'node:fs';
import t from 'tap';
import {
  ERRORS,
  ServiceError,
  errorBody,
  isRaised,
  statusOfSqlState,
  type ErrorCode,
} from '#app/base/errors.js';

t.test('every code keeps its status', (t) => {
  const statuses: Record<ErrorCode, number> = {
    invalid_identifier: 400,
    invalid_path: 400,
    invalid_script_path: 400,
    invalid_request: 400,
    invalid_query_string: 400,
    invalid_value: 400,
    script_not_usable: 400,
    invalid_parameter: 400,
    unknown_parameter: 400,
    unknown_database: 400,
    invalid_listing: 400,
    invalid_body: 400,
    invalid_record: 400,
    invalid_template: 400,
    login_missing: 400,
    token_missing: 401,
    invalid_token: 401,
    invalid_claims: 401,
    login_failed: 401,
    listing_hidden: 401,
    permission_denied: 403,
    registration_denied: 403,
    not_found: 404,
    script_not_found: 404,
    query_not_found: 404,
    version_not_found: 404,
    row_not_found: 404,
    plugin_not_found: 404,
    handler_not_found: 404,
    method_not_allowed: 405,
    breaking_change: 409,
    precondition_failed: 412,
    body_too_large: 413,
    uri_too_long: 414,
    misdirected_request: 421,
    unsupported_media_type: 415,
    too_many_logins: 429,
    statement_not_allowed: 500,
    script_not_proved: 500,
    result_too_large: 500,
    placeholder_in_literal: 500,
    more_than_one_row: 500,
    more_than_one_column: 500,
    missing_column: 500,
    no_rows_returned: 500,
    plugin_load_failed: 500,
    script_broken: 500,
    internal: 500,
    history_missing: 501,
    worker_lost: 502,
    plugin_crashed: 502,
    plugin_response_invalid: 502,
    plugin_response_too_large: 502,
    busy: 503,
    timeout: 504,
    plugin_timeout: 504,
  };
  t.strictSame(Object.keys(ERRORS).sort(), Object.keys(statuses).sort());
  const documented = readFileSync('docs/http.md', 'utf8');
  for (const [code, status] of Object.entries(statuses)) {
    t.equal(new ServiceError(code as ErrorCode).status, status, code);
    t.match(
      documented,
      new RegExp(`^\\| ${status} +\\| \`${code}\` `, 'm'),
      'as docs/http.md says',
    );
  }
  t.end();
});

t.test('SQLSTATE to status', (t) => {
  const cases: [state: string, status: number, raised: boolean][] = [
    ['23505', 409, false],
    ['23503', 409, false],
    ['23P01', 409, false],
    ['40001', 409, false],
    ['40P01', 409, false],
    ['55P03', 409, false],
    ['22P02', 400, false],
    ['23502', 400, false],
    ['42501', 403, false],
    ['08006', 503, false],
    ['53300', 503, false],
    ['57P01', 503, false],
    ['25006', 503, false],
    ['57014', 504, false],
    ['42P01', 500, false],
    ['XX000', 500, false],
    ['P0001', 400, true],
    ['P0002', 500, false],
    ['PT404', 404, true],
    ['PT399', 500, false],
    ['PT600', 500, false],
    ['PTabc', 500, false],
  ];
  for (const [state, status, raised] of cases) {
    t.equal(statusOfSqlState(state), status, state);
    t.equal(isRaised(state), raised, state);
  }
  t.end();
});

t.test('bodies', (t) => {
  t.equal(errorBody('a "b"', 'busy', false), '{"error":"a \\"b\\"","code":"busy"}');
  t.equal(
    errorBody('a', 'invalid_parameter', false, { parameter: 'p' }),
    '{"error":"a","code":"invalid_parameter","parameter":"p"}',
  );
  t.equal(
    errorBody('a<b>&\u0000', 'busy', true),
    '<objects><error>a&lt;b&gt;&amp;\uFFFD</error><code>busy</code></objects>',
  );
  t.equal(
    errorBody('a', '22P02', true, { parameter: '<p>', index: 0, none: undefined, list: ['x'] }),
    '<objects><error>a</error><code>22P02</code><parameter>&lt;p&gt;</parameter><index>0</index></objects>',
  );
  t.end();
});
