/**
 * Sends the recorded requests to our service and compares what comes back: status, the headers that matter, and the
 * body. JSON is compared without the spaces between its parts, but with the order of its members; of an error only the
 * members that the recording has, for ours carry a code too.
 */
import { symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { Test } from 'tap';
import { secretKey, signed } from '../access/tokens.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type Configuration, type Service } from '../support/service.js';
import { seconds, SECRET, signToken, userToken } from '../support/tokens.js';
import { until } from '../support/until.js';
import { ADMIN, configuration } from './configurations.js';
import { DATABASES, SCRIPTS, TABLES } from './fixture.js';
import { compare, recordings, type Answer, type HttpRequest } from './recordings.js';

const CLAIMS = { UserInfo: { id: 1, metadata: null, name: '', username: ADMIN } };

/** What stands for a token in a request, for a text that is too long to be written out, and for the service's name. */
const FILLINGS: Readonly<Record<string, string>> = {
  '<service>': 'service',
  '<token>': userToken(ADMIN),
  '<jwt>': userToken(ADMIN),
  '<admin>': userToken(ADMIN),
  '<other>': userToken('other'),
  '<expired>': signToken({ ...CLAIMS, exp: seconds(-3_600) }),
  '<early>': signToken({ ...CLAIMS, nbf: seconds(3_600) }),
  '<wrongkey>': signToken(CLAIMS, 'another secret of thirty-two bytes or more'),
  '<hs512>': signed(secretKey('HS512', SECRET), { ...CLAIMS, exp: seconds(3_600) }),
  '<none>': signToken(CLAIMS, SECRET, { alg: 'none' }),
  '<bare>': signed(secretKey('HS256', SECRET), {}),
  '<1 MiB>': 'x'.repeat(1 << 20),
};

/**
 * replay sends the requests of a file, in their order, to a service for each configuration over one database; `more` is
 * what each of these configurations has besides, `setup` what the database has.
 */
export async function replay(
  t: Test,
  file: string,
  more: Configuration = {},
  setup = '',
): Promise<void> {
  const postgres = await startPostgres(t, { setup: `${TABLES};${setup}` });
  const url = (database: string): string =>
    Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href;
  for (const name of DATABASES)
    await postgres.sql(`CREATE DATABASE "${name}" TEMPLATE "${postgres.database}"`);
  const services = new Map<string, Service>();
  const answers: [request: HttpRequest, answer: Answer][] = [];
  for (const request of recordings<HttpRequest>(file)) {
    const { config } = request;
    const service =
      services.get(config) ??
      (await serve(t, { ...configuration(config, url), ...more }, url('prest-test')));
    services.set(config, service);
    answers.push([request, await send(service.port, request)]);
  }
  for (const [request, answer] of answers) {
    const { status, answerHeaders: headers = {}, answer: body, ours } = request;
    const tidied = ours && { ...request, ours: tidy(ours) };
    compare(t, tidied ?? request, tidy({ status, headers, body }), (like) => seen(answer, like));
  }
  t.end();
}

/** serve starts our service on the database that pREST was started on, and waits until it knows that this answers. */
async function serve(t: Test, config: Configuration, database: string): Promise<Service> {
  const service = await startService(t, { database, scripts: SCRIPTS, config, prepare: linkOut });
  await until(async () => (await service.ask('/_health')).status === 200);
  return service;
}

/** linkOut puts a link into the scripts folder that leads out of it. */
function linkOut(folder: string): void {
  writeFileSync(path.join(folder, 'outside.sql'), 'SELECT 1 AS a');
  symlinkSync('../../outside.sql', path.join(folder, 'queries/rec/link.read.sql'));
}

/** send sends a request with the path as it is written, which fetch would tidy. */
function send(port: number, { method, target, headers = {}, body }: HttpRequest): Promise<Answer> {
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value)]);
  const options = { host: '127.0.0.1', port, method, path: target, agent: false };
  return new Promise((resolve, reject) => {
    const request = http.request({ ...options, headers: Object.fromEntries(filled) as Headers });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        const body = Buffer.concat(chunks).toString();
        resolve({ status, headers: headers as Headers, body });
      });
    });
    request.on('error', reject).end(body === undefined ? undefined : fill(body));
  });
}

type Headers = Record<string, string>;

function fill(text: string): string {
  return text.replace(/<[\w ]+>/g, (placeholder) => {
    const filling = FILLINGS[placeholder];
    if (filling === undefined) throw new Error(`nothing is known to stand for ${placeholder}`);
    return filling;
  });
}

/** seen is as much of an answer as another one, which is tidy, tells. */
function seen(answer: Answer, like: Answer): Answer {
  const headers: Headers = {};
  for (const name of Object.keys(like.headers ?? {}))
    headers[name] = answer.headers?.[name.toLowerCase()] ?? '';
  const members = errorOf(like.body);
  const all = members && errorOf(answer.body);
  const body = all ? JSON.stringify(all, Object.keys(members)) : tidyBody(answer.body);
  const beginning = `${body.slice(0, like.body.length - 1)}…`;
  return { status: answer.status, headers, body: like.body.endsWith('…') ? beginning : body };
}

/** tidy is an answer with the parts that no comparison looks at left out, or with words in their place. */
function tidy({ status, headers = {}, body }: Answer): Answer {
  return { status, headers, body: tidyBody(body) };
}

function tidyBody(body: string): string {
  if (!/^[[{]/.test(body)) return body.trim();
  return body
    .replace(/("(?:[^"\\]|\\.)*(?:"|$))|\s+/g, (_, string: string | undefined) => string ?? '')
    .replace(/"eyJ[\w-]+\.[\w-]+\.[\w-]+"/, '"<jwt>"')
    .replace(/"id":\d+,"database"/g, '"id":"<id>","database"')
    .replace(/("\w+_at"):"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)"/g, '$1:"<time>"');
}

/** errorOf is the members of a body that tells an error, unless it is one of JSON-RPC, which is compared whole. */
function errorOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const members = JSON.parse(body) as Record<string, unknown>;
    if ('jsonrpc' in members) return undefined;
    return 'error' in members || 'code' in members ? members : undefined;
  } catch {
    return undefined;
  }
}
