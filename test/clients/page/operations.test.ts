/** The operations that the page reads from a document: references, forms, examples; nothing in a document breaks it. */
import t from 'tap';
import { isNamed, matches, readDocument } from '#app/clients/page/operations.js';

const read = (members: object): ReturnType<typeof readDocument> =>
  readDocument(JSON.stringify({ openapi: '3.1.0', info: { title: 'shop' }, ...members }));

t.test('what is no document is refused', (t) => {
  for (const text of ['', '[]', 'null', '{"swagger":"2.0"}', '<html>'])
    t.throws(() => readDocument(text), text);
  t.end();
});

t.test('odd documents', (t) => {
  const odd: object[] = [
    { paths: null },
    { paths: { '/a': null, '/b': 7, '/c': { get: null } } },
    { paths: { '/a': { get: { parameters: 'x', tags: 1, responses: [], requestBody: {} } } } },
    { paths: { '/a': { get: { parameters: [null, 1, {}, { $ref: '#/nowhere' }] } } } },
    { paths: { '/a': { get: { 'x-proof': { verdict: 1, findings: 'x' } } } } },
  ];
  for (const members of odd) t.doesNotThrow(() => read(members), JSON.stringify(members));
  t.end();
});

t.test('references, also in a circle', (t) => {
  const { operations, schemas } = read({
    paths: {
      '/a': {
        parameters: [{ $ref: '#/components/parameters/p' }],
        get: { responses: { 200: { $ref: '#/components/responses/r' } } },
      },
    },
    components: {
      parameters: { p: { name: 'p', in: 'query', schema: { $ref: '#/components/schemas/tree' } } },
      responses: { r: { description: 'Good.', content: { 'application/json': { schema: { $ref: '#/components/schemas/tree' } } } } }, // prettier-ignore
      schemas: {
        tree: { type: 'object', properties: { next: { $ref: '#/components/schemas/tree' } } },
        self: { $ref: '#/components/schemas/self' },
      },
    },
  });
  const [{ parameters, outcomes }] = operations as [(typeof operations)[0]];
  t.match(parameters, [{ name: 'p', place: 'query', schema: { type: 'object' } }]);
  t.match(outcomes, [{ status: '200', description: 'Good.' }]);
  t.type(schemas.typeText(outcomes[0]!.schema), 'string');
  t.type(schemas.example(outcomes[0]!.schema), 'object');
  t.doesNotThrow(() => schemas.label({ $ref: '#/components/schemas/self' }));
  t.end();
});

t.test('examples and labels', (t) => {
  const { schemas } = read({});
  const cases: [schema: object, label: string, example: unknown][] = [
    [{ type: 'integer', minimum: 3 }, 'integer', 3],
    [{ type: ['number', 'null'], default: 2.5 }, 'number', 2.5],
    [{ type: ['integer', 'string'] }, 'integer or text', 1],
    [{ type: 'string', format: 'date' }, 'text (date)', '2026-01-31'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'choices', ['a']],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, 'boolean', true],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'integer or text', 1],
    [{ type: 'object', properties: { a: { type: 'string', example: 'x' } } }, 'object', { a: 'x' }],
    [{}, 'any', {}],
  ];
  for (const [schema, label, example] of cases)
    t.strictSame([schemas.label(schema), schemas.example(schema)], [label, example]);
  t.end();
});

t.test('folders, names and search', (t) => {
  const { operations } = read({
    paths: {
      '/_QUERIES/shop/orders/list': { get: { tags: ['orders'], summary: 'All orders' } },
      '/_QUERIES/orders/list': { get: { tags: ['orders'] }, delete: { tags: ['orders'] } },
      '/v1/a': { get: { tags: ['api'], parameters: [{ name: 'since', in: 'query' }] } },
    },
  });
  t.strictSame(
    operations.map(({ id, folder, name }) => [id, folder, name]),
    [
      ['get/v1/a', 'api', '/v1/a'],
      ['get/_QUERIES/shop/orders/list', 'orders', 'shop/orders/list'],
      ['get/_QUERIES/orders/list', 'orders', 'list'],
      ['delete/_QUERIES/orders/list', 'orders', 'list'],
    ],
  );
  const found = (search: string): number => operations.filter((one) => matches(one, search)).length;
  t.strictSame(['', 'ALL order', 'delete list', 'since', 'x'].map(found), [4, 1, 1, 1, 0]);
  t.end();
});

t.test('a script with several paths is one operation', (t) => {
  const own = { tags: ['shop'], 'x-script': 'shop/order' };
  const { operations } = read({
    paths: {
      '/v1/orders/{id}': { get: { ...own, summary: 'An order' } },
      '/_QUERIES/shop/order': { get: own, post: own },
      '/_QUERIES/shop/other': { get: { ...own, 'x-script': 'shop/other' } },
    },
  });
  t.strictSame(
    operations.map(({ id, others }) => [id, others]),
    [
      ['get/v1/orders/{id}', ['/_QUERIES/shop/order']],
      ['post/_QUERIES/shop/order', []],
      ['get/_QUERIES/shop/other', []],
    ],
  );
  t.ok(isNamed(operations[0]!, 'get/_QUERIES/shop/order'));
  t.notOk(isNamed(operations[0]!, 'post/_QUERIES/shop/order'));
  t.end();
});
