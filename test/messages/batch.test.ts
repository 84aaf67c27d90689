/** What is packed for the way between the threads comes out as it was, whatever is in it and however long it is. */
import t from 'tap';
import {
  LISTING,
  packId,
  packMcpRequest,
  packRequest,
  requestIds,
  SQL,
  unpackIds,
  unpackRequests,
  type McpRequest,
  type ScriptRequest,
} from '#app/messages/batch.js';

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

const PLAIN: ScriptRequest = {
  kind: 'script',
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
  traced: false,
  declared: false,
};

function pack(request: ScriptRequest): string {
  const { id, method, alias, folder, name, query, headers, requestId, role, claims, body } =
    request;
  return packRequest(
    id,
    method,
    alias,
    folder,
    name,
    query,
    headers,
    requestId,
    role,
    claims,
    body,
    request.traced,
    request.declared,
  );
}

/** Between neighbours, which a wrong length would shift. */
function crosses(request: ScriptRequest): boolean {
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

t.test('requests: bodies', (t) => {
  for (const length of [...LENGTHS, 2 ** 24 + 1])
    t.ok(crosses({ ...PLAIN, body: 'ÿ'.repeat(length) }), `of ${length}`);
  for (const [what, body] of Object.entries(ODD)) t.ok(crosses({ ...PLAIN, body }), what);
  t.ok(crosses({ ...PLAIN, body: null }), 'discarded');
  t.equal((unpackRequests(pack(PLAIN))[0] as ScriptRequest).body, undefined, 'none');
  const long = { ...PLAIN, method: 'x'.repeat(70_000), body: 'b' };
  t.ok(crosses(long), 'beside a long method');
  t.end();
});

t.test('requests: traced, by a declared path', (t) => {
  for (const body of [undefined, null, '', 'b'.repeat(70_000)])
    for (const flags of [{ traced: true }, { declared: true }, { traced: true, declared: true }])
      t.ok(crosses({ ...PLAIN, method: 'x'.repeat(70_000), body, ...flags }), String(body));
  t.end();
});

t.test('requests: of each kind', (t) => {
  const { id, method, alias, folder, name, query, headers, requestId, role, claims, traced } =
    PLAIN;
  const any = { id, method, headers, requestId, role, claims, traced };
  const mcp: McpRequest = { ...any, kind: 'mcp', user: 'ann', form: 'plain', message: '{"id":1}' };
  // prettier-ignore
  const packed = [
    packRequest(id, method, alias, folder, name, query, headers, requestId, role, claims, null, true, true, SQL),
    packRequest(id, method, alias, 'ann', name, query, headers, requestId, role, claims, undefined, traced, false, LISTING),
    packMcpRequest(mcp),
    pack(PLAIN),
  ];
  t.strictSame(unpackRequests(packed.join('')), [
    { ...PLAIN, kind: 'sql', traced: true, declared: true, body: null },
    { ...any, kind: 'listing', alias, user: 'ann', name, query },
    mcp,
    { ...PLAIN, body: undefined },
  ]);
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

t.test('ids to abandon', (t) => {
  t.same(unpackIds(`a${IDS.map(packId).join('')}`, 1), IDS);
  t.same(unpackIds('a', 1), []);
  t.end();
});
