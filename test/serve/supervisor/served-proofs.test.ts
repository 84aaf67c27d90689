/** What HTTP processes of a service know of the proofs, and what of it outlives a reload. */
import t from 'tap';
import type { ProofUpdate, ServedProof } from '#app/messages/proofs.js';
import type { HttpSettings } from '#app/messages/http-settings.js';
import { ServedProofs } from '#app/serve/supervisor/served-proofs.js';
import { databaseSettings, httpProcessSettings } from '../../support/http-process.js';

type Prover = NonNullable<HttpSettings['prover']>;

const PROVER: Prover = {
  mode: 'require',
  databases: [databaseSettings('main'), databaseSettings('other')],
  defaultAlias: 'main',
  scripts: '/scripts',
  scriptsTable: undefined,
  aggregate: 'json_agg',
  maxResult: 1,
  role: undefined,
  development: false,
  log: { level: 'silent', pretty: false },
};

const processes = (prover: Partial<Prover>): HttpSettings[] => [
  httpProcessSettings({ prover: { ...PROVER, ...prover } }),
];
const proof = (alias: string, script = 'a/a', size = 0): ServedProof =>
  ({ alias, script, verb: 'read', text: ' '.repeat(size) }) as ServedProof;
const update = (proofs: ServedProof[], complete = true): ProofUpdate => ({
  proofs,
  gone: [],
  complete,
});
const known = (served: ServedProofs): unknown => ({
  aliases: served.chunks().flatMap(({ proofs }) => proofs.map(({ alias }) => alias)),
  complete: served.chunks().some(({ complete }) => complete),
});

t.test('what outlives a reload', (t) => {
  const before = new ServedProofs(processes({}));
  before.apply(update([proof('main'), proof('other')]));
  const none = { aliases: [], complete: false };
  const [main, other] = PROVER.databases;
  const cases: [Partial<Prover>, unknown][] = [
    [{}, { aliases: ['main', 'other'], complete: true }],
    [{ databases: [main!] }, { aliases: ['main'], complete: true }],
    [{ databases: [main!, { ...other!, port: 2 }] }, { aliases: ['main'], complete: false }],
    [{ databases: [main!, { ...other!, conninfo: 'password=new' }] }, { aliases: ['main', 'other'], complete: true }], // prettier-ignore
    [{ databases: [...PROVER.databases, databaseSettings('new')] }, { aliases: ['main', 'other'], complete: false }], // prettier-ignore
    [{ scripts: '/others' }, none],
    [{ mode: 'warn' }, none],
  ];
  for (const [prover, expected] of cases)
    t.strictSame(known(new ServedProofs(processes(prover), before)), expected);
  t.strictSame(known(new ServedProofs([httpProcessSettings()], before)), none);
  t.end();
});

t.test('each generation of processes has its own', (t) => {
  const before = new ServedProofs(processes({}));
  const after = new ServedProofs(processes({}), before);
  const read: [string, ProofUpdate][] = [];
  const old = { proved: (one: ProofUpdate) => read.push(['old', one]) };
  before.add(old);
  after.add({ proved: (one) => read.push(['new', one]) });
  before.apply(update([proof('main')]));
  t.strictSame(known(after), { aliases: [], complete: false });
  after.apply(update([proof('other')], false));
  t.strictSame(
    read.map(([reader]) => reader),
    ['old', 'new'],
  );
  before.remove(old);
  before.apply(update([]));
  t.equal(read.length, 2);
  t.end();
});

t.test('much is sent in pieces, of which the last one completes it', (t) => {
  const served = new ServedProofs(processes({}));
  const proofs = Array.from({ length: 40 }, (_, i) => proof('main', `a/s${i}`, 100_000));
  served.apply(update(proofs));
  const pieces = served.chunks();
  t.ok(pieces.every((one) => JSON.stringify(one).length < 1 << 20));
  t.strictSame(
    pieces.flatMap((one) => one.proofs.map(({ script }) => script)),
    proofs.map(({ script }) => script),
  );
  t.strictSame(
    pieces.map(({ complete }) => complete),
    pieces.map((one) => one === pieces.at(-1)),
  );
  t.end();
});
