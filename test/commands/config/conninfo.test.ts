import { createRequire } from 'node:module';
import t from 'tap';
import {
  conninfo,
  dropLibpqVariables,
  type ConnectionTarget,
} from '#app/commands/config/conninfo.js';
import { startOwnPostgres } from '../../support/postgres.js';

interface Libpq {
  connectSync(conninfo: string): void;
  exec(sql: string): void;
  getvalue(row: number, column: number): string;
  finish(): void;
}
const Libpq = createRequire(import.meta.url)('libpq') as new () => Libpq;

const TARGET: ConnectionTarget = {
  host: '127.0.0.1',
  port: 5432,
  user: 'postgres',
  password: '',
  database: 'postgres',
  connectTimeout: 5000,
  statementTimeout: 1234,
  readOnly: false,
  channelBinding: 'prefer',
  sslMode: 'prefer',
  sslCert: undefined,
  sslKey: undefined,
  sslRootCert: undefined,
  others: [],
};

/** ask connects to a target and resolves to the first value of a query. */
function ask(target: ConnectionTarget, sql: string): string {
  const pq = new Libpq();
  pq.connectSync(conninfo(target));
  pq.exec(sql);
  const value = pq.getvalue(0, 0);
  pq.finish();
  return value;
}

t.test('values are quoted', (t) => {
  const text = conninfo({ ...TARGET, user: "o'brien", password: "a b\\' host=evil", database: '' });
  t.match(text, "user='o\\'brien'");
  t.ok(text.includes("password='a b\\\\\\' host=evil'"), text);
  t.ok(text.includes("dbname=''"));
  t.match(conninfo({ ...TARGET, connectTimeout: 1001 }), "connect_timeout='2'");
  t.end();
});

t.test('libpq accepts it, and ignores the environment', async (t) => {
  const server = await startOwnPostgres(t, { socket: true });
  const odd = `it's a "\\ password`;
  await server.sql(`CREATE ROLE "o'dd \\role" LOGIN PASSWORD '${odd.replaceAll("'", "''")}'`);
  await server.sql(`CREATE DATABASE "an 'odd\\ name"`);
  const target = {
    ...TARGET,
    port: server.port,
    user: "o'dd \\role",
    password: odd,
    database: "an 'odd\\ name",
  };
  Object.assign(process.env, {
    PGHOSTADDR: '192.0.2.1',
    PGPORT: '1',
    PGUSER: 'nobody',
    PGPASSWORD: 'wrong',
    PGDATABASE: 'nothing',
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: '/nowhere',
    PGOPTIONS: '-c statement_timeout=1',
    PGAPPNAME: 'somebody',
    PGCLIENTENCODING: 'LATIN1',
    PGCHANNELBINDING: 'require',
    PGGSSENCMODE: 'require',
    PGREQUIREPEER: 'nobody',
    PGTARGETSESSIONATTRS: 'standby',
  });
  const settings: [name: string, value: string][] = [
    ['application_name', 'sql-rest-service'],
    ['client_encoding', 'UTF8'],
    ['statement_timeout', '1234ms'],
    ['DateStyle', 'ISO, MDY'],
    ['IntervalStyle', 'postgres'],
    ['bytea_output', 'hex'],
    ['standard_conforming_strings', 'on'],
    ['client_min_messages', 'error'],
  ];
  for (const [name, value] of settings)
    t.equal(ask(target, `SELECT current_setting('${name}')`), value, name);
  t.equal(ask(target, 'SELECT current_user'), target.user);
  t.equal(ask(target, 'SELECT current_database()'), target.database);
  const socket = { ...target, host: server.socketFolder! };
  t.equal(ask(socket, 'SELECT inet_server_addr() IS NULL'), 't', 'a unix socket');
  process.env['PGSERVICE'] = 'nonesuch';
  t.throws(() => ask(target, 'SELECT 1'), /service/, 'a service cannot be overridden,');
  dropLibpqVariables(process.env);
  t.equal(ask(target, 'SELECT 1'), '1', 'so the variables are dropped');
  t.strictSame(
    Object.keys(process.env).filter((name) => name.startsWith('PG')),
    [],
  );
});
