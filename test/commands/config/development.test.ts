/** Development mode: its defaults, what does not switch it on, and where it is refused. */
import t from 'tap';
import { notForDevelopment } from '#app/commands/config/development.js';
import { settingsOf } from '#app/commands/config/settings.js';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('defaults, which any source overrides', (t) => {
  const keys = ['http.host', 'http.processes', 'pool.threads', 'log.access'] as const;
  const values = (toml?: string): unknown[] => {
    const { config } = loader.load(toml, { development: true }).loaded!;
    return keys.map((key) => config[key]);
  };
  t.strictSame(values(), ['127.0.0.1', 1, 1, true]);
  const auth = '[auth]\nenabled = true\n[jwt]\nkey = "0123456789012345678901234567890123456789"\n';
  t.equal(loader.load(auth).loaded?.config['http.host'], '0.0.0.0');
  t.strictSame(values(auth), ['127.0.0.1', 1, 1, true], 'also with authentication');
  const toml = 'http.host = "0.0.0.0"\nhttp.processes = 2\npool.threads = 2\nlog.access = false\n';
  t.strictSame(values(toml), ['0.0.0.0', 2, 2, false]);
  t.end();
});

t.test('it reaches every process, whatever debug says, and only by the command', (t) => {
  const { config } = loader.load('debug = false\n', { development: true }).loaded!;
  const [settings] = settingsOf(config, false, true);
  t.match(settings, {
    development: true,
    worker: { development: true, debug: true },
    prover: { development: true },
  });
  const [served] = settingsOf(config, false);
  t.match(served, {
    development: false,
    worker: { development: false, debug: false },
    prover: { development: false },
  });
  t.match(loader.load('development = true\n').warnings, [/^development: unknown key/]);
  t.match(loader.load(undefined, { env: { SERVICE_DEVELOPMENT: 'true' } }).warnings, [
    /^SERVICE_DEVELOPMENT: unknown key/,
  ]);
  t.end();
});

t.test('addresses', (t) => {
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost'])
    t.equal(notForDevelopment(host), undefined, host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'db.internal', '127.0.0.1.evil.example', ''])
    t.match(notForDevelopment(host), /other machines can reach.*--http\.host 127\.0\.0\.1/, host);
  t.end();
});
