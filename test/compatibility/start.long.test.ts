/** What pREST's process was seen to do at start, and what its command says to what it does not know. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { makeFolder, run, start } from '../commands/program.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { SECRET } from '../support/tokens.js';
import { compareOutcomes } from './recordings.js';
import { columnsOf } from './tables.js';

const postgres = await startPostgres(t);
const ABSENT = 'postgres://u:p@127.0.0.1:1/d';

type Environment = Readonly<Record<string, string>>;

/** started serves a service.toml and tells where it listens, or how it ended. */
async function started(t: Test, toml: string, env: Environment = {}): Promise<string> {
  const folder = makeFolder(t);
  writeFileSync(path.join(folder, 'service.toml'), toml, { mode: 0o600 });
  const program = start(folder, ['serve'], { DATABASE_URL: postgres.url, PORT: '0', ...env });
  const listening = program.seen(/"url":"http:\/\/(.*?):\d+/).then(
    ([, host]) => `listens on ${host}`,
    () => program.finished.then(({ code }) => `exit ${code}`),
  );
  const outcome = await listening;
  program.child.kill();
  await program.finished;
  return outcome;
}

/** listener takes a port of its own. */
async function listener(t: Test): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

compareOutcomes(t, 'start', {
  'no configuration, the database from the environment': (t) => started(t, ''),
  'unknown keys: queries.locatoin, [nonsense]': (t) =>
    started(t, '[queries]\nlocatoin = "x"\n[nonsense]\na = 1\n'),
  'a file that is no TOML': (t) => started(t, '[broken'),
  'http.port = "abc"': (t) => started(t, '[http]\nport = "abc"\n'),
  'no database at start': (t) => started(t, '', { DATABASE_URL: ABSENT }),
  'a wrong password at start': (t) =>
    started(t, '', { DATABASE_URL: postgres.url.replace(postgres.password, 'wrong') }),
  'the port is in use': async (t) => started(t, '', { PORT: String(await listener(t)) }),
  'queries.restrict and queries.register_enabled without auth': async (t) => {
    const keys = ['queries.restrict', 'queries.register_enabled'];
    const config = Object.fromEntries(keys.map((key) => [key, true]));
    const { lines } = await startService(t, { database: postgres.url, config });
    const warned = (key: string): boolean =>
      lines.some(({ level, msg }) => level === 40 && msg.startsWith(`${key}: `));
    const said = keys.filter(warned);
    return `warned of ${said.join(' and ')}`;
  },
  'auth.enabled with a key that is too short': (t) =>
    started(t, '[auth]\nenabled = true\n[jwt]\nkey = "short"\n'),
  'environment and file': async (t) => {
    const taken = String(await listener(t));
    const file = await started(t, `[http]\nport = ${taken}\n`, {
      PORT: '',
      SERVICE_HTTP_PORT: '0',
    });
    const port = await started(t, '', { SERVICE_HTTP_PORT: taken });
    const wins = (outcome: string): string => (outcome.startsWith('listens') ? 'wins' : 'loses');
    return `the environment ${wins(file)}, PORT ${wins(port)} in it`;
  },
  'the users table that is made at start': async (t) => {
    const config = {
      'http.host': '127.0.0.1',
      'auth.enabled': true,
      'auth.table': 'rec_users',
      'jwt.key': SECRET,
    };
    const serving = await startService(t, { database: postgres.url, config });
    await serving.line('users table');
    return columnsOf(postgres, 'rec_users');
  },
  'an unknown command': async (t) => {
    const { code, stderr } = await run(makeFolder(t), ['bogus']);
    return /unknown command/.exec(stderr)?.[0] ?? `exit ${code}`;
  },
  'the command version': async (t) => `exit ${(await run(makeFolder(t), ['version'])).code}`,
});
