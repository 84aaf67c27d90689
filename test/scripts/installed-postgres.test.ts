/** PostgreSQL of the distribution's packages: which servers there are, and a cluster of one with its default settings. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { installedServers, serversNamed } from '#scripts/installed-postgres.mjs';
import { startOwnPostgres, versionOf } from '../support/postgres.js';
import { notInstalled } from '../support/programs.js';

const server = () => ({ bin: { initdb: '', postgres: '' } });

t.test('which are installed, and which of them a name means', (t) => {
  const clients = { bin: { psql: '' } };
  const root = t.testdir({ 17: server(), '9': server(), '16': clients, common: server() });
  const bins = (servers: readonly { bin: string }[]): string[] =>
    servers.map(({ bin }) => path.relative(root, bin));
  t.strictSame(bins(installedServers(root)), ['9/bin', '17/bin'], 'the oldest first');
  t.strictSame(bins(serversNamed('debian', root)), ['9/bin', '17/bin']);
  t.strictSame(bins(serversNamed('17', root)), ['17/bin']);
  t.strictSame(bins(serversNamed(path.join(root, 'common/bin'), root)), ['common/bin']);
  t.throws(() => serversNamed('16', root), /--postgres 16: .*\(9, 17\)/);
  t.throws(() => serversNamed(path.join(root, '16/bin'), root), /no PostgreSQL server in/);
  t.throws(() => serversNamed('debian', path.join(root, 'none')), /--postgres debian: .*\(none\)/);
  t.strictSame(installedServers(path.join(root, 'none')), []);
  t.end();
});

const installed = installedServers();

t.test(
  'a cluster of its own, with default settings',
  { skip: installed.length === 0 && notInstalled('a PostgreSQL server from packages') },
  async (t) => {
    for (const { version, bin } of installed) {
      const server = await startOwnPostgres(t, { bin });
      t.equal(await versionOf(server), version);
      t.ok(server.dataDir.includes('/run-'), server.dataDir);
      t.equal(
        fs.readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0')[0],
        `${bin}/postgres`,
      );
      const [row] = await server.sql<{ compiles: boolean }>(
        `SELECT current_setting('jit') AS jit, pg_jit_available() AS compiles, upper('é') AS upper,
          pg_encoding_to_char(encoding) AS encoding
          FROM pg_database WHERE datname = current_database()`,
      );
      t.match(row, { jit: 'on', upper: 'É', encoding: 'UTF8' });
      // The newest packages have the compiler in a package of its own.
      t.ok(row!.compiles || !process.env['CI'], 'JIT is installed in CI');
      const set = `SELECT name FROM pg_settings
        WHERE source = 'command line' AND name !~ '^(config_file|data_directory|port)$' ORDER BY name`;
      t.strictSame(
        (await server.sql<{ name: string }>(set)).map(({ name }) => name),
        ['fsync', 'full_page_writes', 'listen_addresses', 'unix_socket_directories'],
      );
      await server.stop();
      t.notOk(fs.existsSync(server.dataDir));
    }
  },
);
