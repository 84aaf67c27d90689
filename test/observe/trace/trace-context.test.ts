/** A trace id is taken from a valid traceparent only. */
import t from 'tap';
import { callerTraceIn } from '#app/observe/trace/trace-context.js';

const traceIdOf = (headers: string) => callerTraceIn(headers)?.traceId;

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

const ignored = [
  '',
  'text',
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  `00-${trace}-${span}-1`,
  `ff-${trace}-${span}-01`,
  `0g-${trace}-${span}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace}0-${span}-01`,
  ` 00-${trace}-${span}-01`,
  `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
  `01-${trace}-${span}-01more`,
];
const taken = [
  `00-${trace}-${span}-00`,
  `00-${trace}-${span}-ff`,
  `01-${trace}-${span}-01`,
  `cc-${trace}-${span}-01-more`,
];

t.test('ignored', (t) => {
  for (const value of ignored) t.equal(traceIdOf(`traceparent\n${value}`), undefined, value);
  const twice = `traceparent\n${taken[0]}\ntraceparent\n${taken[0]}`;
  t.equal(traceIdOf(twice), undefined, 'twice');
  t.equal(traceIdOf(`x\ntraceparent\ny\n${taken[0]}`), undefined, 'a value of another header');
  t.equal(traceIdOf(''), undefined);
  t.end();
});

t.test('taken', (t) => {
  for (const value of taken) t.equal(traceIdOf(`a\nb\ntraceparent\n${value}`), trace, value);
  t.end();
});
