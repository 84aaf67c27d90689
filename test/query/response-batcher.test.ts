/** Answers leave together at the end of the callback that made them, and never wait for another one. */
import t from 'tap';
import type { LargeValue } from '#app/native/pipeline.js';
import { ResponseBatcher } from '#app/query/response-batcher.js';

interface Sent {
  readonly answers: string;
  readonly bodies: readonly LargeValue[];
}

function responses(): { box: ResponseBatcher; sent: Sent[] } {
  const sent: Sent[] = [];
  return { box: new ResponseBatcher((answers, bodies) => sent.push({ answers, bodies })), sent };
}

const large = (length: number): LargeValue => ({ length, text: () => 'x'.repeat(length) });

/** Waits for the end of this callback and all that follows from it. */
const callbackOver = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('those of one callback are one message', async (t) => {
  const { box, sent } = responses();
  for (const answer of ['a', 'b', 'c']) box.respond(answer);
  t.equal(sent.length, 0);
  await callbackOver();
  t.same(sent, [{ answers: 'abc', bodies: [] }]);
});

t.test('the next callback does not wait for another', async (t) => {
  const { box, sent } = responses();
  let seen = -1;
  setImmediate(() => box.respond('a'));
  setImmediate(() => {
    seen = sent.length;
    box.respond('b');
  });
  await callbackOver();
  await callbackOver();
  t.equal(seen, 1);
  t.same(
    sent.map(({ answers }) => answers),
    ['a', 'b'],
  );
});

t.test('bodies go with the answers they belong to, once', async (t) => {
  const { box, sent } = responses();
  const [one, two, three] = [large(10), large(20), large(30)];
  box.respond('a', one);
  box.respond('b');
  box.respond('c', two);
  await callbackOver();
  box.respond('d', three);
  await callbackOver();
  box.respond('e');
  await callbackOver();
  t.same(
    sent.map(({ answers }) => answers),
    ['abc', 'd', 'e'],
  );
  t.same(sent[0]?.bodies, [one, two]);
  t.equal(sent[0]?.bodies[1], two);
  t.same(sent[1]?.bodies, [three]);
  t.same(sent[2]?.bodies, []);
});

t.test('large answers leave at once, and what follows them is not lost', async (t) => {
  const { box, sent } = responses();
  const body = large(1);
  box.respond('a', body);
  box.respond('b'.repeat(2 << 20));
  t.equal(sent.length, 1);
  t.equal(sent[0]?.answers.length, (2 << 20) + 1);
  t.same(sent[0]?.bodies, [body]);
  box.respond('c');
  t.equal(sent.length, 1);
  await callbackOver();
  t.same(sent.slice(1), [{ answers: 'c', bodies: [] }], 'nothing is sent twice');
});
