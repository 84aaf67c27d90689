/** Renewed certificates: put to use while requests go on, however they come; unusable ones change nothing. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import type { TlsSettings } from '#app/messages/http-settings.js';
import { makeCertificate } from '../support/certificates.js';
import { Load } from '../support/load.js';
import type { LogLine } from '../support/process-group.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const [first, second, third] = [1, 2, 3].map((n) => makeCertificate(`number ${n}`)) as [
  TlsSettings,
  TlsSettings,
  TlsSettings,
];
const ca = [first, second, third].map(({ cert }) => cert);

/** So long nothing more may happen (milliseconds): the files are polled each second, and a change counts after two polls. */
const NOTICED = 2_500;

/** Places certificate and key where the configuration of `start` looks for them. */
type Put = (certificate: TlsSettings) => void;

/** start starts a service without a database; `lay` chooses how the files lie in its folder. */
async function start(
  t: Pick<Test, 'teardown'>,
  lay: (folder: string) => Put = plain,
): Promise<{ readonly service: Service; readonly put: Put }> {
  const service = new Service(t, {
    database: 'postgres://nobody:none@127.0.0.1:1/none',
    config: {
      ...{ 'https.mode': true, 'https.cert': 'tls/cert.pem', 'https.key': 'tls/key.pem' },
      ...{ 'http.processes': 2, 'pool.threads': 1, 'log.level': 'info' },
    },
    prepare: (folder) => lay(folder)(first),
  });
  await service.listening();
  return { service, put: lay(service.folder) };
}

function plain(folder: string): Put {
  return ({ cert, key }) => {
    mkdirSync(path.join(folder, 'tls'), { recursive: true });
    writeFileSync(path.join(folder, 'tls/cert.pem'), cert);
    writeFileSync(path.join(folder, 'tls/key.pem'), key, { mode: 0o600 });
  };
}

let versions = 0;
// They wait rather than work.
t.jobs = 5;

const reloaded = ({ msg }: LogLine): boolean => msg === 'reloaded';

/** As certbot does: each file is a link that is led elsewhere. */
function links(folder: string): Put {
  return (certificate) => {
    mkdirSync(path.join(folder, 'tls'), { recursive: true });
    versions += 1;
    for (const name of ['key', 'cert'] as const) {
      writeFileSync(path.join(folder, `${name}${versions}.pem`), certificate[name]);
      const link = path.join(folder, `tls/${name}.pem`);
      rmSync(link, { force: true });
      symlinkSync(`../${name}${versions}.pem`, link);
    }
  };
}

/** As Kubernetes does: the files are links through a link to a folder, which is led elsewhere. */
function mounted(folder: string): Put {
  return (certificate) => {
    versions += 1;
    const fresh = path.join(folder, `tls/..${versions}`);
    mkdirSync(fresh, { recursive: true });
    for (const name of ['key', 'cert'] as const) {
      writeFileSync(path.join(fresh, `${name}.pem`), certificate[name]);
      const link = path.join(folder, `tls/${name}.pem`);
      rmSync(link, { force: true });
      symlinkSync(`..data/${name}.pem`, link);
    }
    symlinkSync(`..${versions}`, path.join(folder, 'tls/..next'));
    renameSync(path.join(folder, 'tls/..next'), path.join(folder, 'tls/..data'));
  };
}

/** shown is the name in the certificate that a new connection gets. */
function shown({ port }: Service): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** replaced waits for the n-th reload and the end of the HTTP processes before it, which may still take connections. */
async function replaced(service: Service, n = 1): Promise<void> {
  await service.line(reloaded, n);
  await until(() => service.httpProcesses().length === 2);
}

t.test(
  'unusable ones: reported once, the one in use stays, also for new HTTP processes',
  { buffered: true },
  async (t) => {
    const { service, put } = await start(t);
    const [key, cert] = ['key', 'cert'].map((name) => path.join(service.folder, `tls/${name}.pem`));
    t.match(service.url, /^https:/);
    put({ cert: second.cert, key: first.key });
    await service.line('in use stays: the certificate cannot be used with its key: ');
    for (const dying of service.httpProcesses()) {
      process.kill(dying, 'SIGKILL');
      await until(() => {
        const pids = service.httpProcesses();
        return pids.length === 2 && !pids.includes(dying);
      });
    }
    await until(() => shown(service).then(() => true, () => false)); // prettier-ignore
    for (let i = 0; i < 8; i++) t.equal(await shown(service), 'number 1');
    service.signal('SIGHUP');
    await service.line('not reloaded');
    t.equal(await shown(service), 'number 1');

    rmSync(key!);
    await service.line("in use stays: the certificate's key cannot be read: ENOENT");
    writeFileSync(cert!, '');
    writeFileSync(key!, second.key);
    await service.line('in use stays: the certificate cannot be used', 2);
    t.equal(await shown(service), 'number 1');

    put(second);
    await replaced(service);
    t.equal(await shown(service), 'number 2');
    t.equal(service.lines.filter(({ msg }) => msg.includes('in use stays')).length, 3);
    t.notMatch(service.output, 'PRIVATE KEY');
    for (const { key } of [first, second])
      for (const line of key.split('\n').filter((line) => line.length > 20))
        t.notOk(service.output.includes(line), 'no line of a key is in the log');
  },
);

t.test('under load no request fails', { buffered: true }, async (t) => {
  const { service, put } = await start(t, links);
  const { port } = service;
  const options = { port, wanted: 404, target: () => '/nope', ca };
  const kept = new Load(t, { ...options, clients: 8 });
  const anew = new Load(t, { ...options, clients: 4, anew: true });
  let n = 0;
  for (const certificate of [second, third]) {
    await Promise.all([kept.more(251, 404), anew.more(51, 404)]);
    put(certificate);
    await replaced(service, ++n);
    t.equal(await shown(service), `number ${n + 1}`);
  }
  await Promise.all([kept.stop(), anew.stop()]);
  t.same(kept.failures, []);
  t.same(anew.failures, []);
  t.ok(kept.count(404) > 500, `${kept.count(404)} answers on kept connections`);
  t.ok(anew.count(404) > 100, `${anew.count(404)} answers on new connections`);
});

for (const [name, lay] of Object.entries({ plain, mounted }))
  t.test(
    `files that are replaced, ${name}; the configuration is not read again`,
    { buffered: true },
    async (t) => {
      const { service, put } = await start(t, lay);
      service.configure({ 'http.port': 'nonsense' });
      put(second);
      await replaced(service);
      t.equal(await shown(service), 'number 2');
      await sleep(NOTICED);
      t.equal(service.lines.filter(reloaded).length, 1);
    },
  );

t.test('SIGHUP does not wait', { buffered: true }, async (t) => {
  const { service, put } = await start(t);
  put(second);
  service.signal('SIGHUP');
  await replaced(service);
  t.equal(await shown(service), 'number 2');
  await sleep(NOTICED);
  t.equal(service.lines.filter(reloaded).length, 1);
});
