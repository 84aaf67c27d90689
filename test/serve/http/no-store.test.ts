/** Cache-Control: responses to a token and of /auth are never stored, whatever their status and however early. */
import t from 'tap';
import type { CorsSettings } from '#app/messages/http-settings.js';
import { startHttpProcess, type HttpProcessOverrides } from '../../support/http-process.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { authSettings, userToken } from '../../support/tokens.js';

const TOKEN = `Authorization: Bearer ${userToken('ann')}`;
const BAD = 'Authorization: Bearer abc';
const ORIGIN = 'Origin: https://app.example';
const PREFLIGHT = 'Access-Control-Request-Method: POST';
const long = (bytes: number): string => `Content-Length: ${bytes}`;

const CORS: CorsSettings = {
  origins: ['https://app.example'],
  headers: [],
  methods: ['POST'],
  credentials: false,
};
const login = authSettings({ login: { type: 'body', encrypt: 'bcrypt' } });

/** The HTTP process, the request, its headers and body, the status, and whether the response may be stored. */
type Case = [
  served: keyof typeof SERVED,
  request: string,
  headers: string[],
  body: string,
  status: number,
  stored?: boolean,
];

const SERVED = {
  open: {},
  closed: { auth: authSettings() },
  login: { auth: login, maxBody: 100, cors: CORS },
  context: { auth: login, context: '/api' },
  full: { auth: login, queue: 0 },
} satisfies Record<string, HttpProcessOverrides>;

const CASES: Case[] = [
  ['login', 'GET /auth', [], '', 405],
  ['login', 'OPTIONS /auth', [], '', 204],
  ['login', 'OPTIONS /auth', [ORIGIN, PREFLIGHT], '', 204],
  ['login', 'POST /auth', [long(101)], 'x'.repeat(101), 413],
  ['login', 'POST /auth', [long(3)], 'x=1', 401],
  ['login', 'POST /auth', [long(3), long(3)], 'x=1', 400],
  ['login', 'POST /auth', [long(60)], '{"username":"ann","password":"b"}'.padEnd(60), 503],
  ['login', `POST /auth?${'x'.repeat(65_536)}`, [], '', 414],
  ['context', 'GET /api/auth', [], '', 405],
  ['context', 'GET /auth', [], '', 401, true],
  ['full', 'POST /auth', [], '', 503],
  ['closed', 'POST /auth', [], '', 404],
  ['open', 'POST /auth', [], '', 404],

  ['closed', 'GET /nope', [TOKEN], '', 404],
  ['closed', 'GET /_QUERIES/a/..', [TOKEN], '', 400],
  ['closed', 'GET /_QUERIES/a/b.c', [TOKEN], '', 400],
  ['closed', 'GET /_QUERIES/a/b/', [TOKEN], '', 301],
  ['closed', 'GET /.well-known/x', [TOKEN], '', 404],
  ['closed', 'GET /_health', [TOKEN], '', 503],
  ['closed', `GET /nope?${'x'.repeat(65_536)}`, [TOKEN], '', 414],
  ['closed', 'GET /_QUERIES/a/b', [BAD], '', 401],
  ['login', 'POST /_QUERIES/a/b', [TOKEN, long(101)], 'x'.repeat(101), 413],
  ['login', 'OPTIONS /_QUERIES/a/b', [TOKEN, ORIGIN, PREFLIGHT], '', 204],
  ['full', 'GET /_QUERIES/a/b', [TOKEN], '', 503],
  ['open', 'GET /_QUERIES/a/..', [TOKEN], '', 400],

  ['closed', 'GET /_QUERIES/a/b', [], '', 401, true],
  ['closed', 'GET /_health', [], '', 503, true],
  ['login', 'OPTIONS /_QUERIES/a/b', [ORIGIN, PREFLIGHT], '', 204, true],
  ['open', 'GET /nope', [], '', 404, true],
];

const ports = new Map<string, number>();
for (const [name, overrides] of Object.entries(SERVED))
  ports.set(name, (await startHttpProcess(t, overrides)).port);

const answers = await Promise.all(
  CASES.map(([served, request, headers, body]) => {
    const [method = '', target = ''] = request.split(' ');
    return sendRaw(ports.get(served)!, requestBytes(method, target, headers, body));
  }),
);

for (const [i, [served, request, headers, , status, stored = false]] of CASES.entries())
  t.test(`${served}: ${request.slice(0, 40)} ${headers.join(', ').slice(0, 60)}`, (t) => {
    t.equal(answers[i]!.status, status);
    t.equal(answers[i]!.headers.get('cache-control'), stored ? undefined : 'no-store');
    t.end();
  });
