/** Two clusters with a replica each: a browser, and clients with headers, read their own writes on both. */
import { request } from 'node:https';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { makeCertificate } from '../support/certificates.js';
import { rowsOf } from '../support/mcp.js';
import { startOwnPostgres, type OwnPostgres } from '../support/postgres.js';
import { startService, type Answer } from '../support/service.js';
import { replayed, startStandby } from '../support/standby.js';
import { until } from '../support/until.js';

const setup = 'CREATE TABLE item (n int)';
const main = await startOwnPostgres(t, { setup });
const other = await startOwnPostgres(t, { setup });
// Positions of the second cluster are behind those of the first one: a replica that is mixed up has replayed them.
for (let i = 0; i < 4; i++)
  await other.sql("SELECT pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()");
const mainStandby = await startStandby(t, main);
const otherStandby = await startStandby(t, other);

const ALIAS = 'Größe';
const SHOWN = encodeURIComponent(ALIAS);

const options = {
  database: main.url,
  scripts: {
    'test/items.read.sql': 'SELECT count(*) AS n, inet_server_port() AS port FROM item',
    'test/add.write.sql': 'INSERT INTO item VALUES (1)',
  },
  config: {
    context: '/api',
    'pg.replicas': [mainStandby.url],
    databases: [{ alias: ALIAS, url: other.url, replicas: [otherStandby.url] }],
    'pg.lsn_cookie': true,
    'pg.lsn_wait': '60s',
    'pg.max_lag': '1GiB',
    'mcp.enabled': true,
    'queries.proof': 'off',
    'http.processes': 1,
    'pool.threads': 1,
  },
};
const service = await startService(t, options);
const MAIN = 'test';
const OTHER = `${SHOWN}/test`;

/** Keeps cookies and sends them back as browsers do; here none expires. */
class Browser {
  /** By name and path. */
  readonly cookies = new Map<string, { readonly path: string; readonly pair: string }>();

  async ask(target: string, method = 'GET'): Promise<Answer> {
    const asked = `/api/_QUERIES/${target}`;
    const sent = [...this.cookies.values()].filter(
      ({ path }) => path === '/' || asked === path || asked.startsWith(`${path}/`),
    );
    const headers = { Cookie: sent.map(({ pair }) => pair).join('; ') };
    const answer = await service.ask(target, { method, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const path = attributes.find((one) => one.startsWith('Path='))!.slice('Path='.length);
      this.cookies.set(`${pair.split('=', 1)[0]!}; ${path}`, { path, pair });
    }
    return answer;
  }
}

/** servedBy waits until the replica of a database runs its reads. */
async function servedBy({ port }: OwnPostgres, target: string): Promise<void> {
  await until(async () => {
    const { json } = await service.ask(`${target}/items`);
    return (json as [{ port: number }])[0].port === port;
  });
}

t.test('a browser that writes to both reads what it wrote', async (t) => {
  await servedBy(mainStandby, MAIN);
  await servedBy(otherStandby, OTHER);
  await otherStandby.sql('SELECT pg_wal_replay_pause()');
  const browser = new Browser();
  t.equal((await browser.ask(`${OTHER}/add`, 'POST')).status, 200);
  t.equal((await browser.ask(`${MAIN}/add`, 'POST')).status, 200);
  const stale = await service.ask(`${OTHER}/items`);
  t.strictSame(stale.json, [{ n: 0, port: otherStandby.port }], 'without cookies');
  const own = browser.ask(`${OTHER}/items`);
  const onMain = await browser.ask(`${MAIN}/items`);
  t.strictSame(onMain.json, [{ n: 1, port: mainStandby.port }]);
  await otherStandby.sql('SELECT pg_wal_replay_resume()');
  t.strictSame((await own).json, [{ n: 1, port: otherStandby.port }]);
  t.strictSame(
    [...browser.cookies.keys()],
    [`Service-LSN-${SHOWN}; /api`, 'Service-LSN; /api'],
    'one cookie for each database',
  );
});

t.test('a header with the positions of both', async (t) => {
  await replayed(otherStandby, other);
  await otherStandby.sql('SELECT pg_wal_replay_pause()');
  const position = async (target: string): Promise<string> => {
    const { headers } = await service.ask(`${target}/add`, { method: 'POST' });
    return headers.get('service-lsn')!;
  };
  const [onOther, onMain] = [await position(OTHER), await position(MAIN)];
  t.match(onMain, /^1:[0-9A-F]+\/[0-9A-F]+$/);
  t.equal(onOther.startsWith(`${SHOWN}=1:`), true);
  const read = (target: string, value: string): Promise<Answer> =>
    service.ask(`${target}/items`, { headers: { 'Service-LSN': value } });
  const own = read(OTHER, `${onMain}, ${onOther}`);
  const tool = rowsOf(
    service,
    'service.select_table',
    { database: ALIAS, schema: 'public', table: 'item' },
    { headers: { 'Service-LSN': onOther } },
  );
  const elsewhere = await read(OTHER, `${onMain},FFFFFFFF/0`);
  t.strictSame(elsewhere.json, [{ n: 1, port: otherStandby.port }], 'positions of the other one');
  const both = await read(MAIN, `${onMain}, ${onOther}`);
  t.strictSame(both.json, [{ n: 2, port: mainStandby.port }]);
  await otherStandby.sql('SELECT pg_wal_replay_resume()');
  t.strictSame((await own).json, [{ n: 2, port: otherStandby.port }]);
  t.strictSame(await tool, [{ n: 1 }, { n: 1 }]);
  for (const value of [`${onMain}; ${onOther}`, `${onMain}, ${ALIAS}=x`, `${onMain},`]) {
    const { status, json } = await read(OTHER, encodeURI(value).replaceAll('%20', ' '));
    t.match([status, json], [400, { code: 'invalid_request' }], value);
  }
});

t.test('cookies of a service with TLS are Secure', async (t) => {
  const certificate = makeCertificate('cookies');
  const secure = await startService(t, {
    ...options,
    config: {
      ...options.config,
      ...{ 'https.mode': true, 'https.cert': 'tls/cert.pem', 'https.key': 'tls/key.pem' },
    },
    prepare: (folder) => {
      mkdirSync(path.join(folder, 'tls'));
      for (const part of ['cert', 'key'] as const)
        writeFileSync(path.join(folder, `tls/${part}.pem`), certificate[part]);
    },
  });
  const cookies = await new Promise((resolve, reject) => {
    const target = { port: secure.port, path: `/api/_QUERIES/${OTHER}/add`, method: 'POST' };
    request({ ...target, host: '127.0.0.1', ca: certificate.cert, agent: false }, (response) => {
      resolve(response.headers['set-cookie']);
      response.resume();
    })
      .on('error', reject)
      .end();
  });
  t.match(cookies, [
    new RegExp(
      `^Service-LSN-${SHOWN}=1:[^;]+; Path=/api; Max-Age=60; HttpOnly; SameSite=Lax; Secure$`,
    ),
  ]);
});
