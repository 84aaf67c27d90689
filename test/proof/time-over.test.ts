/** A proof that ends too early says so, and states nothing about what it did not ask. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { TypeScriptClient } from '#app/describe/client/typescript-client.js';
import { toolParameters } from '#app/mcp/scripts/tool-parameter.js';
import type { Bounds } from '#app/proof/branches/exploration.js';
import { OutOfTime } from '#app/proof/branches/interruption.js';
import { prove, type Proof } from '#app/proof/branches/proof.js';
import { recordOf } from '#app/proof/branches/proof-record.js';
import type { Describe } from '#app/proof/branches/statement-check.js';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { parametersOf } from '#app/template/parameters.js';
import { documentScripts, ALIAS } from '../describe/openapi/documented.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { BOUNDS, compiled, OneSlice } from './prove-text.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int, name text)' });
const { database } = new TestDatabase(t, server, { connections: 1 });
const statements = new StatementBuilder(jsonFrame('json_agg', 1 << 20));

/** The proof of a read in which PostgreSQL is asked about so many statements, or rendering ends after a look at the time. */
async function proved(text: string, most = Infinity, bounds: Partial<Bounds> = {}): Promise<Proof> {
  let asked = 0;
  const describe: Describe = (sql) => {
    if (++asked > most) throw new OutOfTime();
    return database.describe(sql);
  };
  const session = { script: 'a/list', statements, describe, tables: [] };
  return prove(compiled(text), session, { ...BOUNDS, ...bounds }, new OneSlice());
}

const needs = ({ parameters }: Proof): (string | boolean)[][] =>
  parameters.map(({ name, required, neededWhen = '' }) => [name, required, neededWhen]);
const whats = ({ open }: Proof): string[] => open.map(({ what }) => what);
const OVER = 'the rest: the time for this script was over';

const FLAGS = Array.from({ length: 16 }, (_, i) => `p${i}`);
const FILTERS = FLAGS.map(
  (flag) => `{{if isSet "${flag}"}} AND name = {{sqlVal "${flag}"}}{{end}}`,
);
const MANY = `SELECT id FROM item WHERE true${FILTERS.join('')}`;
const FEW = `SELECT id FROM item WHERE id = {{.id}}{{if isSet "q"}} AND name = {{sqlVal "q"}}{{end}}`;

t.test('while it renders', async (t) => {
  const proof = await proved(MANY, Infinity, { isOver: (part) => part < 1 });
  t.equal(proof.verdict, 'unproved');
  t.equal(proof.exploration.renderings, 16);
  t.strictSame(whats(proof), [OVER]);
  t.ok(proof.isCut);
  t.strictSame(
    needs(proof),
    FLAGS.map((flag) => [flag, false, '']),
  );
});

t.test('while PostgreSQL is asked', async (t) => {
  t.match(await proved(FEW), { verdict: 'proved', isCut: false });
  t.strictSame(needs(await proved(FEW)), [['id', true, ''], ['q', false, '']]); // prettier-ignore
  // Each text of a read is two statements.
  for (const most of [0, 1, 2, 3]) {
    const proof = await proved(FEW, most);
    t.equal(proof.verdict, 'unproved', `after ${most} statements`);
    t.strictSame(whats(proof), [OVER]);
  }
  const either = `SELECT {{if isSet "a"}}{{sqlVal "a"}}::int{{else}}1{{end}} AS x`;
  t.strictSame(needs(await proved(either)), [['a', false, '']]);
  for (const most of [0, 2]) t.strictSame(needs(await proved(either, most)), [['a', false, '']]);
});

t.test('what is broken is broken', async (t) => {
  const broken = `SELECT nope FROM item{{if isSet "q"}} WHERE name = {{sqlVal "q"}}{{end}}`;
  const proof = await proved(broken, 1);
  t.equal(proof.verdict, 'broken');
  t.strictSame(whats(proof), [OVER]);
});

t.test('too many combinations are no lack of time', async (t) => {
  const proof = await proved(MANY, Infinity, { paths: 8, pairs: 8 });
  t.equal(proof.verdict, 'open');
  t.strictSame(whats(proof), ['combinations beyond the limit of those that are tried']);
  t.strictSame(
    needs(proof),
    FLAGS.map((flag) => [flag, false, '']),
  );
});

t.test(
  'a parameter is not needed where it cannot be told whether a request without it is answered',
  async (t) => {
    // Of the values of x, FIRST is one with which PostgreSQL parses it.
    const text = `SELECT 1 AS y{{if isSet "a"}} WHERE 1 = {{sqlVal "a"}}::int{{else}} FETCH {{.x}} ROW ONLY{{end}}`;
    const proof = await proved(text);
    t.equal(proof.verdict, 'open');
    t.strictSame(needs(proof)[0], ['a', false, '`x` is not sent']);
  },
);

t.test('the document, the client and the tool of a script that is not proved', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'unproved-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true });
  });
  mkdirSync(path.join(folder, 'a'));
  writeFileSync(path.join(folder, 'a/list.read.sql'), MANY);
  const documented = await documentScripts(t, server, folder, { proved: false });
  const { proofs } = documented;
  const without = await documented.document();
  const proof = await proved(MANY, 4);
  const record = await recordOf(proof, () => Promise.resolve(new Map()));
  const key = { alias: ALIAS, script: 'a/list', verb: 'read' };
  const hash = createHash('sha256').update(MANY).digest('base64url');
  const served = { ...key, text: hash, own: undefined, record, serves: undefined };
  proofs.apply({ proofs: [served], gone: [], complete: true });
  const { paths, ...rest } = await documented.document();
  const { 'x-proof': shown, ...operation } = paths!['/_QUERIES/a/list']!['get']!;
  t.match(shown, { verdict: 'unproved' });
  t.strictSame(
    { ...rest, paths: { '/_QUERIES/a/list': { get: operation } } },
    { ...rest, paths: { '/_QUERIES/a/list': without['paths']!['/_QUERIES/a/list'] } },
    'as before its proof',
  );
  t.notOk(JSON.stringify(operation).includes('"required"'));
  const client = new TypeScriptClient(JSON.parse(JSON.stringify(await documented.document())));
  for (const one of client.operations) client.add(one);
  t.match(client.text(), /p15\?: /);
  const { template, head } = compiled(MANY);
  const tool = toolParameters(parametersOf(template.text, template.name), head, undefined);
  t.notOk(tool.some(({ required }) => required));
});
