/** What is this machine, in every spelling of a setting, a header and a URL. */
import t from 'tap';
import { isCleartext, isLocalPage, isThisMachine, refusalOf } from '#app/base/this-machine.js';

/** Hosts of settings and URLs: alone, in a header (with and without a port), and in a URL to send to. */
const HERE = [
  ...['localhost', 'LOCALHOST', 'LocalHost', '127.0.0.1', '127.0.0.0', '127.8.9.1', '127.255.255.255'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000::0001]', '[::0001]'],
  ...['[::ffff:127.0.0.1]', '[::FFFF:127.9.9.9]', '[::ffff:7f00:1]'],
]; // prettier-ignore

/** They resolve to this machine where the resolver complies: enough to send to, not to be trusted. */
const BELOW = ['app.localhost', 'a.b.LOCALHOST', 'localhost.', 'app.localhost.'];

const ELSEWHERE = [
  ...['127.0.0.1.example.com', 'localhost.example.com', 'notlocalhost', 'local', 'localhost.localdomain', '127.example'],
  ...['0.0.0.0', '[::]', '10.0.0.1', '192.168.127.1', '126.255.255.255', '128.0.0.1', '169.254.0.1', '1.127.0.1'],
  ...['[::2]', '[::ffff:10.0.0.1]', '[::127.0.0.1]', '[fe80::1]', '[1::1]', '[64:ff9b::127.0.0.1]', 'example.com'],
]; // prettier-ignore

/** No host at all, or more than one: no URL has them. */
const NOT_A_HOST = [
  '',
  '[]',
  '[localhost]',
  '127.0.0.256',
  '127.0.0.1.1',
  'localhost@example.com',
  '127.0.0.1/8',
];

const says = (host: string, origin = ''): string | undefined => refusalOf({ host, origin })?.code;

t.test('an address to listen on', (t) => {
  for (const host of HERE) t.equal(isThisMachine(host), true, host);
  for (const host of HERE.filter((host) => host.startsWith('[')))
    t.equal(isThisMachine(host.slice(1, -1)), true, `${host} without brackets`);
  for (const host of [...BELOW, ...ELSEWHERE, ...NOT_A_HOST, '127.1', '::', 'localhost:80'])
    t.equal(isThisMachine(host), false, host);
  t.end();
});

t.test('the Host and Origin of a request in development mode', (t) => {
  for (const host of HERE)
    for (const port of ['', ':1', ':65535']) {
      t.equal(says(`${host}${port}`), undefined, `${host}${port}`);
      t.equal(says('localhost', `https://${host}${port}`), undefined, `a page of ${host}${port}`);
    }
  for (const host of [...BELOW, ...ELSEWHERE, ...NOT_A_HOST, '::1', '[127.0.0.1]', '127.1', '0x7f.0.0.1'])
    for (const port of ['', ':3000']) {
      t.equal(says(`${host}${port}`), 'misdirected_request', `${host}${port}`);
      if (host + port !== '')
        t.equal(says('localhost', `http://${host}${port}`), 'permission_denied', `a page of ${host}`);
    }
  for (const host of ['localhost:', 'localhost:123456', 'localhost:3000, example.com', ' localhost', 'localhost '])
    t.equal(says(host), 'misdirected_request', JSON.stringify(host));
  t.end();
}); // prettier-ignore

t.test('a page that may make changes without authentication', (t) => {
  for (const host of HERE) {
    t.equal(isLocalPage(`http://${host}`), true, host);
    t.equal(isLocalPage(`https://${host}:8080`), true, `${host}, with a port`);
  }
  for (const host of [...BELOW, ...ELSEWHERE, ...NOT_A_HOST])
    t.equal(isLocalPage(`http://${host}`), false, host);
  for (const origin of ['', 'null', 'localhost', 'ftp://localhost', 'http://localhost/', 'http://localhost:99999999', 'xhttp://localhost'])
    t.equal(isLocalPage(origin), false, JSON.stringify(origin));
  t.end();
}); // prettier-ignore

t.test('a URL that a secret is sent to', (t) => {
  for (const host of [...HERE, ...BELOW, '127.1', '127.0.0.1.', '2130706433', '0x7f.1'])
    for (const rest of ['', ':4318/v1/traces'])
      t.equal(isCleartext(new URL(`http://${host}${rest}`)), false, `${host}${rest}`);
  for (const host of ELSEWHERE) {
    t.equal(isCleartext(new URL(`http://${host}:3000`)), true, host);
    t.equal(isCleartext(new URL(`https://${host}`)), false, `${host} over HTTPS`);
  }
  t.end();
});
