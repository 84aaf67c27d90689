/** TLS to PostgreSQL: every mode, authorities and client certificates, against a server that speaks it. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { databaseOf, databasesOf } from '#app/commands/config/databases.js';
import { checkDatabase } from '#app/postgres/lanes/database-check.js';
import { run } from '../commands/program.js';
import { makeLoader } from '../commands/config/load-config.js';
import { makeAuthority } from '../support/certificates.js';
import { startOwnPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const authority = makeAuthority('authority');
const stranger = makeAuthority('stranger');
const server = authority.issue({ name: 'server' });
const HBA = `
host all postgres 127.0.0.1/32 scram-sha-256
hostssl all api 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 cert
hostssl all both 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
`;
const SETTINGS = { ssl: 'on', ssl_ca_file: 'clients.pem' };
const postgres = await startOwnPostgres(t, {
  settings: SETTINGS,
  files: {
    'server.crt': server.cert,
    'server.key': server.key,
    'clients.pem': authority.cert,
    'pg_hba.conf': HBA,
  },
  setup: `CREATE ROLE api LOGIN PASSWORD 'hush'; CREATE ROLE certified LOGIN; CREATE ROLE "both" LOGIN PASSWORD 'hush'`,
});
const plain = await startOwnPostgres(t);

const loader = makeLoader(t);
// Where libpq looks for what nobody has set.
process.env['HOME'] = loader.folder;

/** Writes a file beside the configuration; keys must be nobody else's. */
function put(name: string, text: string, mode = 0o600): void {
  writeFileSync(path.join(loader.folder, name), text, { mode });
}
put('ca.pem', authority.cert);
put('stranger.pem', stranger.cert);
for (const [name, issued] of [
  ['certified', authority.issue({ name: 'certified' })],
  ['other', authority.issue({ name: 'other' })],
  ['expired', authority.issue({ name: 'certified', expired: true })],
  ['strange', stranger.issue({ name: 'certified' })],
] as const) {
  put(`${name}.pem`, issued.cert);
  put(`${name}.key`, issued.key);
}
put('open.key', authority.issue({ name: 'certified' }).key, 0o644);

const OK = /^ok$/;
/** Of any server, with a role that may come over TLS alone. */
const API = `user = "api"\npass = "hush"\ndatabase = "postgres"\n`;

interface Case {
  readonly what: string;
  /** Of an entry of `[[databases]]`. */
  readonly fields: string;
  readonly told: RegExp;
  readonly port?: number;
}

/** Connects as each case says, in `[[databases]]`, in `pg` and in a URL where there is one, and compares what came of it. */
async function tries(t: Test, cases: readonly Case[]): Promise<void> {
  for (const { what, fields, told, port = postgres.port } of cases) {
    const target = `host = "127.0.0.1"\nport = ${port}\n${fields}`;
    const listed = loader.load(`[[databases]]\nalias = "secure"\n${target}`);
    const main = loader.load(`[pg]\n${target}`);
    t.strictSame([...listed.problems, ...main.problems], [], what);
    for (const settings of [
      databasesOf(listed.loaded!.config)[1]!,
      databaseOf(main.loaded!.config),
    ]) {
      const found = await checkDatabase(settings);
      t.match(found.ok ? 'ok' : found.message, told, what);
      t.notMatch(found, { message: /hush/ });
    }
  }
}

const ssl = (mode: string, more = ''): string => `ssl = { mode = "${mode}"${more} }\n`;
const CA = ', rootcert = "ca.pem"';
const client = (name: string, key = name): string =>
  `${CA}, cert = "${name}.pem", key = "${key}.key"`;

t.test('modes and authorities', (t) =>
  tries(t, [
    { what: 'plain', fields: API + ssl('disable'), told: /pg_hba.conf.*no encryption/ },
    { what: 'TLS where there is', fields: API + ssl('prefer'), told: OK },
    { what: 'TLS where plain is refused', fields: API + ssl('allow'), told: OK },
    { what: 'TLS', fields: API + ssl('require'), told: OK },
    { what: 'TLS, and a known authority', fields: API + ssl('require', CA), told: OK },
    {
      what: 'TLS, and another authority',
      fields: API + ssl('require', ', rootcert = "stranger.pem"'),
      told: /certificate verify failed/,
    },
    { what: 'a known authority', fields: API + ssl('verify-ca', CA), told: OK },
    {
      what: 'another authority',
      fields: API + ssl('verify-ca', ', rootcert = "stranger.pem"'),
      told: /certificate verify failed/,
    },
    {
      what: 'no authority',
      fields: API + ssl('verify-ca'),
      told: /root certificate file .* does not exist/,
    },
    {
      what: 'an authority that is not there',
      fields: API + ssl('verify-full', ', rootcert = "none.pem"'),
      told: /root certificate file ".*none\.pem" does not exist/,
    },
    { what: 'a known authority and the name', fields: API + ssl('verify-full', CA), told: OK },
    {
      what: 'another authority, the name',
      fields: API + ssl('verify-full', ', rootcert = "stranger.pem"'),
      told: /certificate verify failed/,
    },
    {
      what: 'no TLS there, wanted',
      fields: ssl('prefer') + `pass = "${plain.password}"\ndatabase = "postgres"`,
      port: plain.port,
      told: OK,
    },
    {
      what: 'no TLS there, required',
      fields: API + ssl('require'),
      port: plain.port,
      told: /server does not support SSL, but SSL was required/,
    },
    {
      what: 'no TLS there, verified',
      fields: API + ssl('verify-full', CA),
      port: plain.port,
      told: /server does not support SSL, but SSL was required/,
    },
  ]),
);

t.test('client certificates', (t) => {
  const certified = 'user = "certified"\npass = ""\ndatabase = "postgres"\n';
  const both = 'user = "both"\npass = "hush"\ndatabase = "postgres"\n';
  return tries(t, [
    {
      what: 'none',
      fields: certified + ssl('verify-full', CA),
      told: /requires a valid client certificate/,
    },
    {
      what: 'the right one',
      fields: certified + ssl('verify-full', client('certified')),
      told: OK,
    },
    {
      what: 'that of another role',
      fields: certified + ssl('verify-full', client('other')),
      told: /certificate authentication failed for user "certified"/,
    },
    {
      what: 'of another authority',
      fields: certified + ssl('verify-full', client('strange')),
      told: /unknown ca/,
    },
    {
      what: 'an expired one',
      fields: certified + ssl('verify-full', client('expired')),
      told: /certificate expired/,
    },
    {
      what: 'another key',
      fields: certified + ssl('verify-full', client('certified', 'other')),
      told: /private key file ".*other\.key".*key values mismatch|does not match/,
    },
    {
      what: 'a key that others can read',
      fields: certified + ssl('verify-full', client('certified', 'open')),
      told: /private key file ".*open\.key" has group or world access/,
    },
    {
      what: 'beside a password, none',
      fields: both + ssl('require'),
      told: /requires a valid client certificate/,
    },
    { what: 'beside a password', fields: both + ssl('require', client('other')), told: OK },
  ]);
});

t.test('the same as parameters of a URL', async (t) => {
  const folder = encodeURIComponent(loader.folder);
  const url = (role: string, parameters: string): string =>
    `url = "postgres://${role}@127.0.0.1:${postgres.port}/postgres?${parameters}"`;
  const ca = `sslrootcert=${folder}/ca.pem`;
  await tries(t, [
    { what: 'plain', fields: url('api:hush', 'sslmode=disable'), told: /no encryption/ },
    { what: 'the name', fields: url('api:hush', `sslmode=verify-full&${ca}`), told: OK },
    {
      what: 'another authority',
      fields: url('api:hush', 'sslmode=verify-ca&sslrootcert=stranger.pem'),
      told: /certificate verify failed/,
    },
    {
      what: 'a certificate',
      fields: url(
        'certified',
        `sslmode=verify-full&${ca}&sslcert=certified.pem&sslkey=certified.key`,
      ),
      told: OK,
    },
  ]);
});

t.test('what the server shows', async (t) => {
  const cases: [what: string, shown: { cert: string; key: string }, modes: [string, RegExp][]][] = [
    [
      'another name',
      authority.issue({ name: 'db.example', names: 'DNS:db.example' }),
      [
        ['verify-ca', OK],
        ['verify-full', /server certificate for "db\.example".* does not match host name/],
      ],
    ],
    [
      'an expired certificate',
      authority.issue({ name: 'server', expired: true }),
      [
        ['verify-ca', /certificate verify failed/],
        ['verify-full', /certificate verify failed/],
      ],
    ],
  ];
  for (const [what, { cert, key }, modes] of cases) {
    writeFileSync(path.join(postgres.dataDir, 'server.crt'), cert);
    writeFileSync(path.join(postgres.dataDir, 'server.key'), key);
    await postgres.restart();
    await tries(
      t,
      modes.map(([mode, told]) => ({
        what: `${what}, ${mode}`,
        fields: API + ssl(mode, CA),
        told,
      })),
    );
  }
  writeFileSync(path.join(postgres.dataDir, 'server.crt'), server.cert);
  writeFileSync(path.join(postgres.dataDir, 'server.key'), server.key);
  await postgres.restart();
});

t.test('nothing is ever said in plain text to a server that has no TLS', async (t) => {
  const heard: string[] = [];
  const fake = createServer((socket) => {
    const parts: Buffer[] = [];
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      parts.push(data);
      if (parts.length === 1) socket.write('N');
    });
    socket.on('close', () => heard.push(Buffer.concat(parts).toString('hex')));
  }).listen(0, '127.0.0.1');
  await once(fake, 'listening');
  t.teardown(() => fake.close());
  const { port } = fake.address() as AddressInfo;
  const told = /server does not support SSL, but SSL was required/;
  const modes = ['require', 'verify-ca', 'verify-full'];
  await tries(t, modes.map((mode) => ({ what: mode, fields: API + ssl(mode, CA), port, told }))); // prettier-ignore
  t.same([...new Set(heard)], ['0000000804d2162f'], 'the question whether there is TLS, no more');
});

t.test('a service, and what check says', async (t) => {
  const file = (name: string): string => path.join(loader.folder, name);
  const entry = (alias: string, rootcert: string) => ({
    alias,
    url: `postgres://certified@127.0.0.1:${postgres.port}/postgres?sslmode=verify-full`,
    ssl: { rootcert: file(rootcert), cert: file('certified.pem'), key: file('certified.key') },
  });
  const databases = [entry('secure', 'ca.pem'), entry('deceived', 'stranger.pem')];
  const service = await startService(t, {
    database: plain.url,
    scripts: {
      'tls/state.read.sql':
        'SELECT current_user AS name, ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    },
    config: { databases },
  });
  t.same(await service.rows('secure/tls/state'), [
    { name: 'certified', ssl: true, client_dn: '/CN=certified' },
  ]);
  t.match(await service.rows('tls/state'), [{ ssl: false }]);
  t.match(await service.error('deceived/tls/state'), /^503 08/);
  const line = await service.line(({ msg }) => msg.startsWith('the database does not answer'));
  t.match(line, { alias: 'deceived', msg: /certificate verify failed/ });

  const { code, stdout } = await run(service.folder, ['check']);
  t.equal(code, 1);
  t.match(stdout, /\ndatabase postgres ok: PostgreSQL /);
  t.match(stdout, /\ndatabase secure ok: PostgreSQL /);
  t.match(stdout, /\ndatabase deceived not ok\n {2}error: .*certificate verify failed/);
});
