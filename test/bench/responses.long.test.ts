/**
 * A wrong response ends the benchmark.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { CASES } from '../../bench/cases.js';
import { autocannonLoad } from '../../bench/load/autocannon.js';
import { runLoad } from '../../bench/load/load.js';
import { checkAnswers } from '../../bench/measure/answers.js';
import type { Address } from '../../bench/server.js';
import { authorization } from '../../bench/token.js';

const subject = CASES[0]!;
const right = (path: string): unknown => subject.answer(Number(/id=(\d+)/.exec(path)?.[1]));

const REQUESTS = [{ method: 'GET' as const, path: subject.path(1), body: undefined }];

const WRONG: [string, (path: string) => [number, string]][] = [
  ['no row', () => [200, '[]']],
  ['the row of the neighbour', () => [200, JSON.stringify(subject.answer(1))]],
  ['not JSON', () => [200, '[{']],
  ['an error', (path) => [500, JSON.stringify(right(path))]],
];

for (const [name, answer] of WRONG) {
  t.test(`refused: ${name}`, async (t) => {
    const server = await serve(t, answer);
    await t.rejects(checkAnswers(server, subject, [2, 1, 3]), /answered (200|500)/);
  });
}

t.test('accepted: the right rows, with any white space', async (t) => {
  const server = await serve(t, (path) => [200, JSON.stringify(right(path), undefined, 2)]);
  await t.resolves(checkAnswers(server, subject, [2, 1, 3]));
});

t.test('a body is sent, and the relevant part of the answer is compared', async (t) => {
  const call = CASES.find(({ name }) => name === 'mcp')!;
  const rows = (id: number) =>
    JSON.stringify({ result: { structuredContent: { rows: call.answer(id) } } });
  const server = await serve(t, (_path, _token, body) => {
    const { id } = JSON.parse(body) as { id: number };
    return [200, rows(id === 9 ? 8 : id)];
  });
  await t.resolves(checkAnswers(server, call, [2, 1, 3]));
  await t.rejects(checkAnswers(server, call, [9]), /answered 200/);
  for (const drive of [runLoad, autocannonLoad]) {
    const load = { connections: 1, seconds: 1, authorization: undefined } as const;
    const scratch = path.join(t.testdir({}), 'requests');
    const requests = [{ method: 'POST' as const, path: '/_mcp', body: call.body!(1) }];
    const result = await drive({ ...load, port: server.port, requests, scratch });
    t.equal(result.errors, 0);
    t.ok(result.requests > 0);
  }
});

t.test('a server with one answer for all requests must send that one', async (t) => {
  const server = await serve(t, () => [200, '{"msg":"Hello"}']);
  await t.resolves(checkAnswers({ ...server, answer: { msg: 'Hello' } }, subject, [2, 1, 3]));
  await t.rejects(
    checkAnswers({ ...server, answer: { msg: 'hello' } }, subject, [1]),
    /answered 200/,
  );
});

t.test('the token is sent', async (t) => {
  const token = authorization();
  const server = await serve(t, (path, sent) =>
    sent === token ? [200, JSON.stringify(right(path))] : [401, '{}'],
  );
  await t.rejects(checkAnswers(server, subject, [1]), /answered 401/);
  await t.resolves(checkAnswers({ ...server, authorization: token }, subject, [1]));
  for (const drive of [runLoad, autocannonLoad]) {
    const load = { connections: 1, seconds: 1, requests: REQUESTS } as const;
    const scratch = path.join(t.testdir({}), 'requests');
    const { errors, requests } = await drive({
      ...load,
      port: server.port,
      authorization: token,
      scratch,
    });
    t.equal(errors, 0);
    t.ok(requests > 0);
  }
});

async function serve(
  t: Pick<Test, 'teardown'>,
  answer: (path: string, authorization: string | undefined, sent: string) => [number, string],
): Promise<Address> {
  const server = http.createServer((request, response) => {
    void text(request).then((sent) => {
      const [status, body] = answer(request.url ?? '', request.headers.authorization, sent);
      response.writeHead(status).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, authorization: undefined };
}
