/** Requests whose token is refused are counted once each, by reason, whatever reads the token first. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { SECRET, seconds, signToken, userToken } from '../support/tokens.js';

const METRIC = 'service_auth_refused_tokens_total';

const { url: database } = await startPostgres(t);
const service = await startService(t, {
  database,
  scripts: {
    's/one.read.sql': 'SELECT 1 AS one',
    's/kept.write.sql': 'SELECT {{sqlVal "body.a"}}::text AS a',
    'open/one.read.sql': 'SELECT 1 AS one',
    'open/kept.write.sql': 'SELECT {{sqlVal "body.a"}}::text AS a',
  },
  config: {
    'auth.enabled': true,
    'jwt.key': SECRET,
    'jwt.whitelist': ['^/_QUERIES/open/.*$'],
    'metrics.listen': '127.0.0.1:0',
    'metrics.token': 'metrics-token-of-the-test',
    'http.processes': 1,
    'queries.proof': 'off',
  },
});
const url = await metricsUrl(service);
const TOKEN = { Authorization: 'Bearer metrics-token-of-the-test' };

const bearer = (token: string): string => `Bearer ${token}`;
const AUTHORIZATIONS: readonly (readonly [reason: string, authorization: string, code: string])[] =
  [
    ['missing', '', '401 token_missing'],
    ['malformed', 'Basic YTpi', '401 invalid_token'],
    ['malformed', bearer('abc'), '401 invalid_token'],
    ['algorithm', bearer(signToken({}, SECRET, { alg: 'none' })), '401 invalid_token'],
    ['signature', bearer(signToken({}, 'x'.repeat(40))), '401 invalid_claims'],
    ['expired', bearer(signToken({ exp: seconds(-60) })), '401 invalid_claims'],
    ['not_yet_valid', bearer(signToken({ nbf: seconds(600) })), '401 invalid_claims'],
    ['', bearer(userToken('ann')), '200'],
  ];

/** What is counted by reason, without those that were not met. */
async function counted(): Promise<Record<string, number>> {
  const series = await scrape(url, TOKEN);
  const reasons = [...series.keys()].flatMap((key) =>
    key.startsWith(`${METRIC}{`) ? [/reason="(\w+)"/.exec(key)![1]!] : [],
  );
  return Object.fromEntries(
    reasons.flatMap((reason) => {
      const count = sum(series, METRIC, `reason="${reason}"`);
      return count === 0 ? [] : [[reason, count]];
    }),
  );
}

const BODY = { method: 'POST', body: '{"a":"b"}' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

t.test('once for each request, with a body and without', async (t) => {
  for (const [reason, authorization, code] of AUTHORIZATIONS) {
    const headers = { ...JSON_TYPE, ...(authorization && { Authorization: authorization }) };
    const before = await counted();
    t.equal(await service.error('s/one', { headers }), code, reason);
    t.equal(await service.error('s/kept', { ...BODY, headers }), code, `${reason}, with a body`);
    const expected = { ...before };
    if (reason !== '') expected[reason] = (before[reason] ?? 0) + 2;
    t.strictSame(await counted(), expected, reason);
  }
});

t.test('where a token is optional', async (t) => {
  for (const [reason, authorization] of AUTHORIZATIONS) {
    const headers = { ...JSON_TYPE, ...(authorization && { Authorization: authorization }) };
    const before = await counted();
    t.equal(await service.error('open/one', { headers }), '200', reason);
    t.equal(await service.error('open/kept', { ...BODY, headers }), '200', reason);
    const expected = { ...before };
    if (!/^(?:|missing)$/.test(reason)) expected[reason] = (before[reason] ?? 0) + 2;
    t.strictSame(await counted(), expected, reason);
  }
});

t.test('the token of metrics is none of a user', async (t) => {
  const before = await counted();
  for (const headers of [{}, { Authorization: 'Bearer wrong' }])
    t.match(await service.error('/metrics', { headers }), /^401 /);
  t.strictSame(await counted(), before);
});
