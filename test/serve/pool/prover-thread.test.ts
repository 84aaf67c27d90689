/** The thread of the prover: it is told what is known, started again when it dies, and what it was lent is taken back. */
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import { ProverThread } from '#app/serve/pool/prover-thread.js';
import { ProofCache } from '#app/messages/proof-cache.js';
import type { ProofUpdate, ServedProof } from '#app/messages/proofs.js';
import { ServerConnections } from '#app/messages/server-connections.js';
import { databaseSettings } from '../../support/http-process.js';
import { connections, startPostgres, type Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const PROGRAM = fileURLToPath(new URL('./fixtures/mortal-prover.js', import.meta.url));

const keep = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(keep));

/** As long as is enough for several pieces. */
const proof = (script: string): ServedProof => ({
  alias: 'main',
  script,
  verb: 'read',
  text: script,
  own: undefined,
  serves: ' '.repeat(200_000),
  record: {
    verdict: 'proved',
    findings: [],
    open: [],
    parameters: [],
    columns: [],
    columnsWhen: [],
    combinations: 1,
    texts: 1,
    statements: 1,
  },
});

class Started {
  readonly connections = ServerConnections.memoryFor(1);
  readonly numbers = new Int32Array(this.connections);
  readonly update: ProofUpdate[] = [];
  readonly errors: string[] = [];
  lends = 0;
  readonly thread: ProverThread;

  constructor(t: Test, postgres: Postgres, allowed: number) {
    this.numbers[0] = allowed;
    const known = new ProofCache();
    known.apply({ proofs: ['a/a', 'a/b', 'a/c'].map(proof), gone: [], complete: true });
    const log = { error: (_fields: unknown, message: string) => this.errors.push(message) };
    this.thread = new ProverThread(
      {
        mode: 'require',
        databases: [databaseSettings('main', postgres)],
        defaultAlias: 'main',
        scripts: t.testdir(),
        scriptsTable: undefined,
        aggregate: 'json_agg',
        maxResult: 1 << 20,
        role: undefined,
        development: false,
        log: { level: 'silent', pretty: false },
        connections: this.connections,
        activity: new SharedArrayBuffer(4),
        metrics: undefined,
      },
      known,
      { update: (update) => this.update.push(update), lend: () => this.lends++ },
      log as unknown as Logger,
      PROGRAM,
    );
    t.teardown(() => this.thread.close());
  }
}

t.test('it dies with a connection and starts again', async (t) => {
  const postgres = await startPostgres(t);
  const started = new Started(t, postgres, 2);
  await until(() => started.errors.length === 1);
  t.match(started.errors[0], /starts again/);
  await until(() => started.numbers[2] === 0);
  t.equal(await connections(postgres, 0), 0);
  await until(() => started.update.length > 0 && started.numbers[2] === 1);
  t.match(started.update.at(-1), { proofs: [{ script: 'a/a' }], complete: true }, 'it knew all');
  t.ok(started.lends >= 2);
  await started.thread.close();
  t.equal(await connections(postgres, 0), 0);
});

t.test('it starts once it can be lent a connection', async (t) => {
  const postgres = await startPostgres(t);
  const started = new Started(t, postgres, 1);
  started.thread.connectionsChanged();
  t.equal(await connections(postgres), 0);
  started.numbers[0] = 2;
  started.thread.connectionsChanged();
  await until(() => started.update.length > 0);
});
