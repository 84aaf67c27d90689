/** Clients of the examples and of odd scripts: they compile, their types hold, and they work against the service. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { run } from '../../commands/program.js';
import { documentScripts } from '../openapi/documented.js';
import { ODD_SCRIPTS, ODD_TABLES } from '../openapi/odd-scripts.js';
import { startPostgres } from '../../support/postgres.js';
import { startService } from '../../support/service.js';
import { startExamples } from './examples.js';
import { clientText, compile, MODULES } from './compiled.js';

t.setTimeout(240_000);

/** What a program says for each of its steps. */
type Outcome = Readonly<Record<string, unknown>>;

async function outcomeOf(
  t: Test,
  client: string,
  program: string,
  baseUrl: string,
): Promise<Outcome> {
  const bundled = compile(t, { 'client.ts': client }, MODULES['bundler']);
  t.same(bundled.problems, [], 'for bundlers');
  const compiled = compile(t, { 'client.mts': client, 'program.mts': program });
  t.same(compiled.problems, [], 'for Node');
  const { main } = (await compiled.load('program.mjs')) as {
    main: (url: string) => Promise<Outcome>;
  };
  return main(baseUrl);
}

const EXAMPLES_PROGRAM = `
import { ApiError, createClient, type ApiProductReadRow, type ErrorCode } from './client.mjs';

export async function main(baseUrl: string) {
  const tokens: string[] = [];
  let status = 0;
  const api = createClient({
    baseUrl: baseUrl + '/',
    token: async () => 'token',
    headers: { 'X-Request-Id': 'of-all' },
    fetch: (url, init) => {
      const headers = new Headers(init.headers);
      tokens.push(headers.get('authorization') ?? '');
      headers.delete('authorization');
      return fetch(url, { ...init, headers });
    },
  });
  const failure = async (call: Promise<unknown>): Promise<ApiError> => {
    try { await call; } catch (error) { if (error instanceof ApiError) return error; throw error; }
    throw new Error('no error');
  };

  const product: ApiProductReadRow = await api.api.product.read({ id: 3 });
  const name: string = product.name;
  const tags: (string | null)[] = product.tags;
  const dots: string[] = [];
  // @ts-expect-error the id is needed
  await api.api.product.read().catch((error: Error) => { dots.push(error.name); });
  // @ts-expect-error a number
  await failure(api.api.product.read({ id: 'x' }));
  // @ts-expect-error no such category
  const wrong = await failure(api.api.products.read({ category: 'beer' }));
  const listed = await api.api.products.read({ category: ['tea', 'pots'], size: 2, q: undefined });
  // @ts-expect-error no such column
  listed[0]?.colour;
  // @ts-expect-error there may be no first row
  listed[0].name;
  const one = await api.api.products.read({ category: 'sweets', max_price: '10.00' });
  const made = await api.api.products.write(
    { body: { name: 'Hojicha', category: 'tea', price: '9.50', tags: ['a', 'b'] } },
    { onResponse: (response) => { status = response.status; }, headers: { 'X-Request-Id': 'of-one' } },
  );
  // @ts-expect-error the category is missing
  const missing = await failure(api.api.products.write({ body: { name: 'x', price: 1 } }));
  const taken = await failure(api.api.products.write({ body: { name: 'Hojicha', category: 'tea', price: 1 } }));
  const code: ErrorCode = taken.code;
  const changed = await api.api.product.patch({ id: made.id, body: { price: 10 } });
  const count: number = await api.api.count.read();
  const mine = await api.customers.mine.read({ headers: { 'X-Customer': 'ada@example.com' } });
  const ordered = await api.api.orders.write({ body: { customer: 1, lines: [{ product: 3, quantity: 1 }] } });
  const placed = await api.orders.place.write({ customer: 1, product: 3, quantity: 1 });
  const affected: number = placed.rows_affected;
  const some = await api.products.some.read({ id: [1, 5] });
  const removed = await api.products.remove.delete({ id: made.id });
  const gone = await failure(api.api.product.read({ id: made.id }));
  const aborted = await api.api.count.read({}, { signal: AbortSignal.abort() }).catch((error: Error) => error.name);
  for (const id of ['', '.', '..', undefined] as unknown as number[])
    await api.api.product.delete({ id }).catch((error: Error) => { dots.push(error.name); });
  const slash = await failure(api.api.product.read({ id: 'a/../b?c#d' as unknown as number }));
  return {
    name, tags: tags.length > 0, listed: listed.map((row) => row.category), one: one.length > 0, price: made.price,
    status, changed: changed.price, missing: [missing.status, missing.code, missing.parameter], code, count: count > 0,
    taken: [taken.status, taken.sqlState, taken.message !== ''], mine: mine.length > 0, ordered: ordered.id !== null,
    affected, some: some.map((row) => row.id), removed: removed.rows?.length, gone: [gone.status, gone.code],
    aborted, dots, slash: [slash.status, slash.code, slash.parameter], wrong: wrong.parameters[0]?.parameter,
    requestId: gone.headers.get('x-request-id'), token: [...new Set(tokens)],
  };
}
`;

t.test('the examples', async (t) => {
  const { service, document } = await startExamples(t);
  const text = clientText(document);
  const written = await run(service.folder, ['client', 'typescript', '--http.port', '1']);
  t.equal(written.stderr, '');
  t.equal(written.stdout, text, 'the command writes the same');
  t.same(await outcomeOf(t, text, EXAMPLES_PROGRAM, service.url), {
    name: 'Sencha Yame',
    tags: true,
    listed: ['tea', 'tea'],
    one: true,
    price: 9.5,
    status: 201,
    changed: 10,
    missing: [400, 'invalid_parameter', 'body.category'],
    code: '23505',
    count: true,
    taken: [409, '23505', true],
    mine: true,
    ordered: true,
    affected: 1,
    some: [1, 5],
    removed: 1,
    gone: [404, 'row_not_found'],
    aborted: 'AbortError',
    dots: ['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError'],
    slash: [400, 'invalid_parameter', 'id'],
    wrong: 'category',
    requestId: 'of-all',
    token: ['Bearer token'],
  });
});

const ODD_PROGRAM = `
import { createClient, type OddTypesReadRow, type OddFormsReadRow, type OddOneReadResult } from './client.mjs';

export async function main(baseUrl: string) {
  const { odd } = createClient({ baseUrl });
  const rows: OddTypesReadRow[] = await odd.types.read();
  const id: number = rows[0]!.id;
  const big: number | null = rows[0]!.big;
  const at: string | null = rows[0]!.at;
  const doc: unknown = rows[0]!.doc;
  // @ts-expect-error it may be null
  const flag: boolean = rows[0]!.flag;
  const forms: OddFormsReadRow[] = await odd.forms.read({ more: '1' });
  const names = forms.map((row) => ('name' in row ? row.name : row.id));
  // @ts-expect-error not in every form
  forms[0]?.name;
  const one: OddOneReadResult = await odd.one.read({ id: 1 });
  const outer = await odd.outer.read();
  // @ts-expect-error an outer join
  const name: string | undefined = outer[0]?.name;
  return { id, big: typeof big, at, doc: doc !== null, flag, names, one: one.id, name };
}
`;

t.test('odd scripts', async (t) => {
  const server = await startPostgres(t, { setup: ODD_TABLES });
  const service = await startService(t, {
    database: server.url,
    config: { 'http.processes': 1, 'pool.threads': 1 },
    scripts: Object.fromEntries(ODD_SCRIPTS.map(({ file, text }) => [file, text])),
  });
  const documented = await documentScripts(t, server, join(service.folder, 'queries'));
  const outcome = await outcomeOf(
    t,
    clientText(await documented.document()),
    ODD_PROGRAM,
    service.url,
  );
  t.match(outcome, { id: 1, big: 'number', doc: true, flag: true, one: 1, name: 'a' });
  t.same(outcome['names'], ['one', 'two']);
});
