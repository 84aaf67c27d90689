/** The watch over a certificate's files: when it acts, and how often. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { Logger } from '#app/log.js';
import type { TlsSettings } from '#app/protocol.js';
import { CertificateWatch, readCertificate } from '#app/supervisor/certificate.js';
import { makeCertificate } from '../support/certificates.js';

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
  const state = { served: first as TlsSettings | undefined, looks: 0 };
  const log = {
    error: (text: string) => seen.push(text),
    info: () => undefined,
  } as unknown as Logger;
  const use = {
    files: () => files,
    served: () => {
      state.looks += 1;
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
      const before = state.looks;
      mock.timers.tick(1_000);
      while (state.looks === before) await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
    return seen.splice(0);
  };
  return { files, put, state, look };
}

t.test('a change counts when it was the same twice', async (t) => {
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

t.test('one that could not be put to use is tried again after ten minutes', async (t) => {
  const { put, look } = watched(t);
  put(second);
  t.same(await look(2), ['renewed']);
  t.same(await look(599), []);
  t.same(await look(1), ['renewed']);
  put(first);
  t.same(await look(10), [], 'the one in use is back');
});

t.test('what is unusable is reported once', async (t) => {
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
