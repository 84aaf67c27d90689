/**
 * A server that answers wrongly ends the benchmark: what is counted is right answers.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { CASES } from '../../bench/cases.js';
import { checkAnswers } from '../../bench/measure/answers.js';

const subject = CASES[0]!;
const right = (path: string): unknown => subject.answer(Number(/id=(\d+)/.exec(path)?.[1]));

const WRONG: [string, (path: string) => [number, string]][] = [
  ['no row', () => [200, '[]']],
  ['the row of the neighbour', () => [200, JSON.stringify(subject.answer(1))]],
  ['not JSON', () => [200, '[{']],
  ['an error', (path) => [500, JSON.stringify(right(path))]],
];

for (const [name, answer] of WRONG) {
  t.test(`refused: ${name}`, async (t) => {
    const port = await serve(t, answer);
    await t.rejects(checkAnswers(port, subject, [2, 1, 3]), /answered (200|500)/);
  });
}

t.test('accepted: the right rows, whatever the white space', async (t) => {
  const port = await serve(t, (path) => [200, JSON.stringify(right(path), undefined, 2)]);
  await t.resolves(checkAnswers(port, subject, [2, 1, 3]));
});

async function serve(
  t: Pick<Test, 'teardown'>,
  answer: (path: string) => [number, string],
): Promise<number> {
  const server = http.createServer((request, response) => {
    const [status, body] = answer(request.url ?? '');
    response.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
