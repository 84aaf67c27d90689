/** The service starts with the configuration of packaging/patroni. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { replicasOf } from '#app/commands/config/databases.js';
import { makeLoader } from '../commands/config/load-config.js';

const FILE = new URL('../../../packaging/patroni/service.toml', import.meta.url);

t.test('it is a configuration with two replicas', (t) => {
  const env = { SERVICE_PG_PASS: 'secret' };
  const { loaded, problems, warnings } = makeLoader(t).load(readFileSync(FILE, 'utf8'), { env });
  t.strictSame([problems, warnings], [[], []]);
  const replicas = replicasOf(loaded!.config, 0);
  t.strictSame(
    replicas.map(({ host, of }) => [host, of]),
    [
      ['node-1.internal', 'shop'],
      ['node-2.internal', 'shop'],
    ],
  );
  t.end();
});
