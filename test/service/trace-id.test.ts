/** The lines of the log about a request with a valid traceparent have its trace id. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

const { url: database } = await startPostgres(t);
const scripts = {
  'a/fails.read.sql': 'SELECT 1 / 0 AS one',
  'a/nap.read.sql': 'SELECT 1 AS one FROM pg_sleep(0.02)',
  'a/header.read.sql': `SELECT {{sqlVal "header.Traceparent"}} AS trace`,
};
const config = { 'log.access': true, 'log.slow': '15ms', 'log.level': 'debug' };

t.test('traceId', async (t) => {
  const service = await startService(t, { database, scripts, config });
  const ask = (target: string, id: string, traceparent: string) =>
    service.ask(target, { headers: { 'X-Request-Id': id, traceparent } });
  const line = (id: string, message: string) =>
    service.line(({ msg, requestId }) => requestId === id && msg.startsWith(message));
  const valid = `00-${trace}-00f067aa0ba902b7-01`;
  await ask('a/fails', 'r-0', 'secret');
  t.notOk('traceId' in (await line('r-0', 'division by zero')));
  t.notOk('traceId' in (await line('r-0', 'request')));
  t.notOk(JSON.stringify(service.lines).includes('secret'));
  for (const [target, message] of [
    ['a/fails', 'division by zero'],
    ['a/nap', 'a statement was slow'],
    ['a/nap', 'a statement has run'],
    ['/tables', 'a statement has run'],
    ['a/missing', 'request'],
  ] as const) {
    const id = `${target.replaceAll('/', '-')}-${message.length}`;
    await ask(target, id, valid);
    t.equal((await line(id, message))['traceId'], trace, `${target}: ${message}`);
  }
  t.same((await ask('a/header', 'r-1', valid)).json, [{ trace: valid }], 'as any other header');
});
