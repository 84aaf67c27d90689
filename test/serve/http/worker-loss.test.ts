/** A query worker that dies: its requests get 502, later ones are served as before. */
import t from 'tap';
import { httpProcessSettings } from '../../support/http-process.js';
import { startServer } from './worker-server.js';

const port = await startServer(t, httpProcessSettings({ grace: 200 }), 'scripted-worker.js');

async function ask(query: string, renderer = ''): Promise<{ status: number; text: string }> {
  const url = `http://127.0.0.1:${port}/_QUERIES/a/b?${query}${renderer}`;
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

t.test('the worker dies', async (t) => {
  const waiting = ask('wait=5000');
  await ask('');
  t.same(await ask('die'), {
    status: 502,
    text: '{"error":"the worker that ran this request was lost","code":"worker_lost"}',
  });
  t.equal((await waiting).status, 502);
  t.equal((await ask('')).status, 200);
});

t.test('the worker dies, XML', async (t) => {
  t.same(await ask('die', '&_renderer=xml'), {
    status: 502,
    text: '<objects><error>the worker that ran this request was lost</error><code>worker_lost</code></objects>',
  });
});

t.test('an exception in the worker', async (t) => {
  t.equal((await ask('throw')).status, 502);
  t.equal((await ask('')).status, 200);
});

t.test('the worker dies with a body', async (t) => {
  const post = async (query: string): Promise<number> => {
    const url = `http://127.0.0.1:${port}/_QUERIES/a/b?${query}`;
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(10_000) });
    await response.text();
    return response.status;
  };
  t.equal(await post(''), 200);
  t.equal(await post('die'), 502);
  t.equal(await post(''), 200);
});
