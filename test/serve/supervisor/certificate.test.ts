/** CertificateWatch: when it reports a renewed certificate, and how often. */
import { EventEmitter, once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import type { TlsSettings } from '#app/messages/http-settings.js';
import { CertificateWatch, readCertificate } from '#app/serve/supervisor/certificate.js';
import { makeCertificate } from '../../support/certificates.js';

const first = makeCertificate('first');
const second = makeCertificate('second');

/** A watch over files in a folder of the test's, on which `look` makes time pass. */
function watched(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const folder = t.testdir({});
  const files = { cert: path.join(folder, 'cert'), key: path.join(folder, 'key') };
  const put = ({ cert, key }: TlsSettings): void => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  put(first);
  const seen: string[] = [];
  const state = { served: first as TlsSettings | undefined };
  const looks = new EventEmitter();
  const log = {
    error: (text: string) => seen.push(text),
    info: () => undefined,
  } as unknown as Logger;
  const use = {
    files: () => files,
    served: () => {
      looks.emit('look'); // the files are read
      return state.served;
    },
    renewed: () => seen.push('renewed'),
  };
  const watch = new CertificateWatch(use, log);
  t.teardown(() => {
    watch.stop();
    mock.timers.reset();
  });
  const look = async (times: number): Promise<string[]> => {
    for (let i = 0; i < times; i++) {
      const looked = once(looks, 'look');
      mock.timers.tick(1_000);
      await looked;
      await new Promise(setImmediate); // the next one is scheduled
    }
    return seen.splice(0);
  };
  return { files, put, state, look };
}

t.test('a change counts once two polls have found the same', async (t) => {
  const { files, put, state, look } = watched(t);
  t.same(await look(3), []);
  writeFileSync(files.cert, second.cert);
  t.same(await look(1), [], 'the key is still to come');
  put(second);
  t.same(await look(1), []);
  t.same(await look(1), ['renewed']);
  state.served = second;
  t.same(await look(610), []);
});

t.test('a certificate that could not be used is tried again after ten minutes', async (t) => {
  const { put, look } = watched(t);
  put(second);
  t.same(await look(2), ['renewed']);
  t.same(await look(599), []);
  t.same(await look(1), ['renewed']);
  put(first);
  t.same(await look(10), [], 'the one in use is back');
});

t.test('unusable files are reported once', async (t) => {
  const { files, put, look } = watched(t);
  const mixed = { cert: first.cert, key: second.key };
  const REPORT = [/stays: the certificate cannot be used with its key: key values mismatch$/];
  put(mixed);
  t.match(await look(2), REPORT);
  t.same(await look(610), []);
  put(first);
  t.same(await look(2), []);
  put(mixed);
  t.match(await look(2), REPORT, 'again, for it has been well meanwhile');
  rmSync(files.cert);
  t.match(await look(10), [/stays: the certificate cannot be read: ENOENT$/]);
});

t.test('files that cannot be used', async (t) => {
  const { files, put } = watched(t);
  const CASES: readonly [TlsSettings, RegExp][] = [
    [{ cert: '', key: first.key }, /cannot be used with its key: no start line/],
    [{ cert: first.cert, key: '' }, /cannot be used with its key/],
    [{ cert: first.cert, key: second.key }, /key values mismatch/],
  ];
  for (const [texts, reason] of CASES) {
    put(texts);
    await t.rejects(readCertificate(files), reason);
  }
  put(second);
  t.same(await readCertificate(files), second);
});
