/** Limits of proofs for the registry: their time, and how many wait for another. */
import t from 'tap';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t, { setup: `CREATE TABLE item (id int, name text);${GATES}` });
await makeTable(t, server);

const body = { read_sql: 'SELECT id FROM item WHERE name = {{sqlVal "name"}}' };
const OVER = { what: 'the rest: the time for this script was over' };
const OVER_WITH_VALUES = {
  what: 'the statement with the values of this request: the time for it was over',
};

/** Runs `work` while another session has the table for itself. */
async function whileLocked(name: string, work: (open: () => Promise<void>) => Promise<void>) {
  const gate = new Gate(server, name);
  const locked = server.sql(`BEGIN; LOCK TABLE item; ${gate.sql}; COMMIT`);
  await gate.reached(1);
  await work(() => gate.open());
  await locked;
}

t.test('more at a time than may wait', async (t) => {
  const registry = new TestedRegistry(t, server);
  await whileLocked('many', async (open) => {
    const answers: string[] = [];
    const all = Array.from({ length: 10 }, async (_, i) => {
      const own = { read_sql: `${body.read_sql} -- ${i}` };
      answers.push(await registry.error('PUT /v/rec?validate=only', { body: own }));
    });
    await until(() => answers.length > 0);
    t.strictSame(answers, ['503 busy: too many scripts wait for their proof already']);
    t.equal((await registry.ask('PUT /v/other', { body })).status, 201, 'others go on');
    await open();
    await Promise.all(all);
    const proved = '200 {"valid":true,"proof":{"read":{"verdict":"proved"}}}';
    t.strictSame(answers.slice(1), Array(9).fill(proved), 'one after the other');
  });
});

t.test('what is not proved in time is said, and not kept', async (t) => {
  const registry = new TestedRegistry(t, server, { proofBudget: 100 });
  await whileLocked('late', async (open) => {
    const only = await registry.ask('PUT /v/late?validate=only', { body });
    t.strictSame(only.json, {
      valid: true,
      proof: { read: { verdict: 'unproved', open: [OVER] } },
    });
    const put = await registry.ask('PUT /v/late?validate=true&name=x', { body });
    t.equal(put.status, 201, 'it is stored');
    const said = [OVER, OVER_WITH_VALUES];
    t.match(put.json, { proof: { read: { verdict: 'unproved', open: said } } });
    t.match((await registry.ask('GET /v/late?proof')).json, { read: { verdict: 'unproved' } });
    await open();
  });
  const patient = new TestedRegistry(t, server);
  t.match((await patient.ask('GET /v/late?proof')).json, { read: { verdict: 'proved' } });
});

t.test('a broken text beside one that takes too long', async (t) => {
  const registry = new TestedRegistry(t, server, { proofBudget: 20_000 });
  await whileLocked('beside', async (open) => {
    const both = { ...body, write_sql: 'SELECT nope' };
    const { status, json } = await registry.ask('PUT /v/both?validate=only', { body: both });
    t.equal(status, 400, 'each text has a part of the time');
    t.match(json, { verb: 'write', code: '42703', findings: [{ verb: 'write' }] });
    await open();
  });
});
