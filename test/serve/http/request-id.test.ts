import t from 'tap';
import { startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';

const { port } = await startHttpProcess(t);

const idFor = async (...headers: string[]): Promise<string | undefined> =>
  (await sendRaw(port, requestBytes('GET', '/nope', headers))).headers.get('x-request-id');

for (const id of ['a', 'A.b_c-9', 'x'.repeat(128)])
  t.test(`${id.slice(0, 20)} is kept`, async (t) => {
    t.equal(await idFor(`X-Request-Id: ${id}`), id);
  });

for (const id of ['', 'a b', 'a/b', 'é', '"x"', 'a,b', 'x'.repeat(129)])
  t.test(`"${id.slice(0, 20)}" is replaced`, async (t) => {
    t.match(await idFor(`X-Request-Id: ${id}`), /^[0-9a-f]{12}-[0-9a-z]+$/);
  });

t.test('made ids differ', async (t) => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => idFor()));
  t.equal(new Set(ids).size, 20);
});
