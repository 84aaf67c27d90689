/** Requests of browsers from other origins. */
import t from 'tap';
import type { CorsSettings } from '#app/messages/http-settings.js';
import { startHttpProcess } from '../../../support/http-process.js';
import { requestBytes, sendRaw, type RawAnswer } from '../../../support/raw-http.js';
import { authSettings } from '../../../support/tokens.js';

const CORS: CorsSettings = {
  origins: ['https://app.example', 'http://localhost:8080'],
  headers: ['Content-Type', 'Authorization'],
  methods: ['GET', 'POST'],
  credentials: true,
};
const EVERY: CorsSettings = { ...CORS, origins: ['*'], credentials: false };
const APP = 'Origin: https://app.example';
const PREFLIGHT = 'Access-Control-Request-Method: POST';

const sent = ({ headers }: RawAnswer): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('access-control') || name === 'vary'),
  );

const ALLOWED = {
  'access-control-allow-origin': 'https://app.example',
  'access-control-allow-credentials': 'true',
};
const EXPOSED = {
  'access-control-expose-headers': 'X-Request-Id, Retry-After, Allow, ETag, Location, Service-LSN',
};
const ORIGIN = { vary: 'Origin' };
const ALL = { vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' };
const DETAILS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Content-Type, Authorization',
  'access-control-max-age': '600',
};

interface Case {
  readonly what: string;
  readonly cors?: CorsSettings;
  readonly method?: string;
  readonly target?: string;
  readonly headers: string[];
  readonly status: number;
  readonly lines: Record<string, string>;
}

const CASES: readonly Case[] = [
  { what: 'not configured', headers: [APP], status: 401, lines: {} },
  { what: 'a preflight, not configured', method: 'OPTIONS', headers: [APP, PREFLIGHT], status: 401, lines: {} }, // prettier-ignore
  {
    what: 'an origin',
    cors: CORS,
    headers: [APP],
    status: 401,
    lines: { ...ORIGIN, ...ALLOWED, ...EXPOSED },
  },
  { what: 'no origin', cors: CORS, headers: [], status: 401, lines: ORIGIN },
  { what: 'another origin', cors: CORS, headers: ['Origin: https://evil.example'], status: 401, lines: ORIGIN }, // prettier-ignore
  { what: 'an origin that begins like one', cors: CORS, headers: ['Origin: https://app.example.evil'], status: 401, lines: ORIGIN }, // prettier-ignore
  { what: 'an origin in another case', cors: CORS, headers: ['Origin: https://APP.example'], status: 401, lines: ORIGIN }, // prettier-ignore
  { what: 'null', cors: CORS, headers: ['Origin: null'], status: 401, lines: ORIGIN },
  { what: 'every origin', cors: EVERY, headers: ['Origin: https://x.example'], status: 401, lines: { ...ORIGIN, ...EXPOSED, 'access-control-allow-origin': '*' } }, // prettier-ignore
  { what: 'health', cors: CORS, target: '/_health', headers: [APP], status: 503, lines: { ...ORIGIN, ...ALLOWED, ...EXPOSED } }, // prettier-ignore
  { what: 'a bad path', cors: CORS, target: '/_QUERIES/a/b.c', headers: [APP], status: 400, lines: { ...ORIGIN, ...ALLOWED, ...EXPOSED } }, // prettier-ignore

  { what: 'a preflight', cors: CORS, method: 'OPTIONS', headers: [APP, PREFLIGHT], status: 204, lines: { ...ALL, ...ALLOWED, ...DETAILS } }, // prettier-ignore
  { what: 'a preflight of another origin', cors: CORS, method: 'OPTIONS', headers: ['Origin: https://evil.example', PREFLIGHT], status: 204, lines: ALL }, // prettier-ignore
  { what: 'a preflight without origin', cors: CORS, method: 'OPTIONS', headers: [PREFLIGHT], status: 401, lines: ORIGIN }, // prettier-ignore
  { what: 'OPTIONS that is none', cors: CORS, method: 'OPTIONS', headers: [APP], status: 401, lines: { ...ORIGIN, ...ALLOWED, ...EXPOSED } }, // prettier-ignore
  { what: 'GET with its header', cors: CORS, headers: [APP, PREFLIGHT], status: 401, lines: { ...ORIGIN, ...ALLOWED, ...EXPOSED } }, // prettier-ignore
];

const ports = new Map<CorsSettings | undefined, number>();
for (const cors of [undefined, CORS, EVERY])
  ports.set(cors, (await startHttpProcess(t, { cors, auth: authSettings() })).port);

const answers = await Promise.all(
  CASES.map(({ cors, method = 'GET', target = '/_QUERIES/a/b', headers }) =>
    sendRaw(ports.get(cors)!, requestBytes(method, target, headers)),
  ),
);

for (const [i, { what, status, lines }] of CASES.entries())
  t.test(what, (t) => {
    const answer = answers[i]!;
    t.equal(answer.status, status);
    t.strictSame(sent(answer), lines);
    if (status === 204) t.equal(answer.body, '');
    t.end();
  });
