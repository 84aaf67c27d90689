/** What is packed for the way between the threads comes out as it was, whatever is in it and however long it is. */
import t from 'tap';
import {
  APART,
  JSON_BODY,
  packResponse,
  packId,
  packRequest,
  requestIds,
  unpackResponses,
  unpackIds,
  unpackRequests,
  XML_BODY,
  type QueryRequest,
} from '#app/batch.js';

const LENGTHS = [0, 1, 255, 256, 65_535, 65_536, 70_000];
const IDS = [1, 255, 256, 65_535, 65_536, 2 ** 24 - 1, 2 ** 24, 2 ** 30 - 1];

/** Texts whose characters could be taken for lengths, or be lost on the way. */
const ODD: Readonly<Record<string, string>> = {
  'control characters': Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join(''),
  'zeros': '\0'.repeat(300),
  'beyond Latin-1': 'Łódź — 東京 — Ω',
  'beyond the first plane': '😀𝒳'.repeat(200),
  'half a pair': '\ud800 and \udfff',
}; // prettier-ignore

const FIELDS = [
  'method',
  'alias',
  'folder',
  'name',
  'query',
  'headers',
  'requestId',
  'role',
  'claims',
] as const;

const PLAIN: QueryRequest = {
  id: 7,
  method: 'GET',
  alias: 'main',
  folder: 'shop',
  name: 'list',
  query: 'a=1',
  headers: 'accept\n*/*',
  requestId: 'r-1',
  role: '',
  claims: '{"sub":"a"}',
};

function pack(request: QueryRequest): string {
  const { id, method, alias, folder, name, query, headers, requestId, role, claims } = request;
  return packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims);
}

/** Between neighbours, which a wrong length would shift. */
function crosses(request: QueryRequest): boolean {
  const batch = [PLAIN, request, PLAIN];
  return JSON.stringify(unpackRequests(batch.map(pack).join(''))) === JSON.stringify(batch);
}

t.test('requests: each field at each length', (t) => {
  for (const field of FIELDS)
    for (const length of LENGTHS)
      t.ok(crosses({ ...PLAIN, [field]: 'ÿ'.repeat(length) }), `${field} of ${length}`);
  for (const length of LENGTHS) {
    const all = Object.fromEntries(FIELDS.map((field, i) => [field, 'x'.repeat(length + i)]));
    t.ok(crosses({ ...PLAIN, ...all }), `all of ${length}`);
  }
  t.end();
});

t.test('requests: any text in any field', (t) => {
  for (const [what, text] of Object.entries(ODD))
    for (const field of FIELDS) t.ok(crosses({ ...PLAIN, [field]: text }), `${field}: ${what}`);
  t.end();
});

t.test('requests: ids', (t) => {
  for (const id of IDS) t.ok(crosses({ ...PLAIN, id }), String(id));
  const batch = IDS.map((id) => pack({ ...PLAIN, id })).join('');
  t.same(requestIds(batch), IDS);
  t.same(unpackRequests(''), []);
  t.same(
    unpackRequests(`r${batch}`, 1).map(({ id }) => id),
    IDS,
    'from a place on',
  );
  t.end();
});

interface Answer {
  readonly id: number;
  readonly status: number;
  readonly type: number;
  readonly allow: string;
  readonly body: string | ArrayBuffer;
}

/** Packs answers, the bodies that are buffers apart, and takes them apart again. */
function answersCross(answers: readonly Answer[]): Answer[] {
  const apart = answers.flatMap(({ body }) => (typeof body === 'string' ? [] : [body]));
  const packed = answers.map(({ id, status, type, allow, body }) =>
    typeof body === 'string'
      ? packResponse(id, status, type, allow, body)
      : packResponse(id, status, type + APART, allow, ''),
  );
  const taken: Answer[] = [];
  const count = unpackResponses(
    packed.join(''),
    apart.length === 0 ? undefined : apart,
    (id, status, type, allow, body) => taken.push({ id, status, type, allow, body }),
  );
  t.equal(count, answers.length);
  return taken;
}

const OK: Answer = { id: 5, status: 200, type: JSON_BODY, allow: '', body: '[{"a":1}]' };

t.test('answers: bodies of each length and kind', (t) => {
  const bodies = [...LENGTHS.map((length) => 'ÿ'.repeat(length)), ...Object.values(ODD)];
  bodies.push('y'.repeat(2 ** 24 + 3));
  for (const body of bodies) {
    const answers = [OK, { ...OK, body }, OK];
    t.ok(JSON.stringify(answersCross(answers)) === JSON.stringify(answers), `${body.length}`);
  }
  t.end();
});

t.test('answers: ids, statuses, types and methods', (t) => {
  for (const id of IDS) t.same(answersCross([OK, { ...OK, id }, OK])[1], { ...OK, id });
  for (const status of [100, 204, 255, 256, 404, 503, 599])
    t.same(answersCross([{ ...OK, status }, OK]), [{ ...OK, status }, OK]);
  for (const type of [JSON_BODY, XML_BODY])
    t.same(answersCross([{ ...OK, type }, OK]), [{ ...OK, type }, OK]);
  for (const allow of ['GET', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', 'x'.repeat(255)])
    t.same(answersCross([{ ...OK, allow }, OK]), [{ ...OK, allow }, OK]);
  t.same(answersCross([]), []);
  t.end();
});

t.test('answers: bodies beside the string find their own', (t) => {
  const buffers = Array.from({ length: 4 }, (_, i) => new ArrayBuffer(i + 1));
  const answers: Answer[] = [
    { ...OK, id: 1, body: buffers[0]! },
    { ...OK, id: 2 },
    { ...OK, id: 3, body: '' },
    { ...OK, id: 4, body: buffers[1]!, type: XML_BODY },
    { ...OK, id: 5, body: buffers[2]!, allow: 'GET' },
    { ...OK, id: 6, body: 'z'.repeat(70_000) },
    { ...OK, id: 7, body: buffers[3]! },
  ];
  const taken = answersCross(answers);
  t.same(taken, answers);
  for (const [i, { body }] of answers.entries()) t.equal(taken[i]?.body, body);
  t.end();
});

t.test('ids to abandon', (t) => {
  t.same(unpackIds(`a${IDS.map(packId).join('')}`, 1), IDS);
  t.same(unpackIds('a', 1), []);
  t.end();
});
