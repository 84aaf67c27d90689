import t from 'tap';
import { defaultParallelism } from '#app/commands/config/parallelism.js';
import { quotaOf } from '#app/commands/config/databases.js';
import { settingsOf } from '#app/commands/config/settings.js';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('quotas of connections', (t) => {
  for (let processes = 1; processes <= 5; processes += 1) {
    for (let threads = 1; threads <= 4; threads += 1) {
      for (let total = 0; total <= 45; total += 1) {
        const shares = Array.from({ length: processes }, (_, i) =>
          quotaOf(total, processes, threads, i),
        );
        const sum = shares.reduce((a, b) => a + b * threads, 0);
        const name = `${total} over ${processes} × ${threads}: ${shares.join()}`;
        const spread = Math.max(...shares) - Math.min(...shares);
        if (spread > 1 || sum > total || sum <= total - threads) t.fail(name);
        if (total >= processes * threads && Math.min(...shares) < 1) t.fail(name);
      }
    }
  }
  t.end();
});

t.test('processes and threads by default', (t) => {
  const cases: [cores: number, connections: number, processes: number, threads: number][] = [
    [1, 10, 1, 1],
    [2, 10, 1, 1],
    [4, 10, 1, 1],
    [8, 10, 2, 2],
    [8, 1, 1, 1],
    [16, 10, 4, 1],
    [64, 10, 4, 1],
    [64, 100, 16, 2],
  ];
  for (const [cores, connections, processes, threads] of cases)
    t.strictSame(defaultParallelism(cores, connections), { processes, threads }, `${cores} cores`);
  t.strictSame(defaultParallelism(64, 10, { processes: 8 }), { processes: 8, threads: 1 });
  t.strictSame(defaultParallelism(64, 10, { threads: 4 }), { processes: 1, threads: 4 });
  for (let cores = 1; cores <= 256; cores += 5) {
    for (let connections = 1; connections <= 130; connections += 3) {
      const { processes, threads } = defaultParallelism(cores, connections);
      if (processes * threads > connections) t.fail(`${cores} cores, ${connections} connections`);
    }
  }
  t.end();
});

t.test('settings of the HTTP processes', (t) => {
  const { loaded } = loader.load(
    'context = "/api/"\nhttp.processes = 3\npool.threads = 2\npg.maxopenconn = 14\npg.maxidleconn = 99\npg.database = "shop"\npg.result_budget = "200MiB"\nhttp.timeout = 7\nqueries.raised_messages = false',
  );
  const settings = settingsOf(loaded!.config, false);
  t.strictSame(
    settings.map((s) => [s.index, s.worker.databases[0]!.connections]),
    [
      [0, 3],
      [1, 2],
      [2, 2],
    ],
  );
  t.strictSame(
    settings.map((s) => s.worker.databases[0]!.idleConnections),
    [3, 2, 2],
    'idle connections are no more than connections',
  );
  t.match(settings[0], {
    context: '/api',
    threads: 2,
    timeout: 7000,
    ready: ['shop'],
    worker: {
      defaultAlias: 'shop',
      resultBudget: 100 * 1024 ** 2,
      raised: false,
      databases: [{ alias: 'shop', statementTimeout: 7000 }],
      log: { level: 'info', pretty: false },
    },
  });
  t.equal(settingsOf(loader.load('').loaded!.config, false)[0]!.context, '');
  t.end();
});
