/** Ids are the same on both sides, those of the caller's trace where there is one, and never twice. */
import t from 'tap';
import { traceIdsOf } from '#app/observe/trace/ids.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';
const request = { id: 7, requestId: 'r-1', headers: 'a\nb' };

t.test('a trace of its own', (t) => {
  const ids = traceIdsOf('seed', request);
  t.match(ids, { traceId: /^[0-9a-f]{32}$/, spanId: /^[0-9a-f]{16}$/, parentId: undefined });
  t.same(traceIdsOf('seed', { ...request }), ids);
  for (const other of [
    traceIdsOf('seeds', request),
    traceIdsOf('seed', { ...request, id: 8 }),
    traceIdsOf('seed', { ...request, requestId: 'r-2' }),
  ]) {
    t.not(other.traceId, ids.traceId);
    t.not(other.spanId, ids.spanId);
  }
  t.end();
});

t.test("the caller's trace", (t) => {
  const headers = `x\ny\ntraceparent\n00-${trace}-${span}-00`;
  const ids = traceIdsOf('seed', { ...request, headers });
  t.match(ids, { traceId: trace, parentId: span });
  t.equal(ids.spanId, traceIdsOf('seed', request).spanId);
  t.end();
});
