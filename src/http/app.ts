/**
 * The application of uWebSockets.js that a front end serves with, over TLS when there is a certificate. It offers TLS
 * 1.2 and 1.3, with ciphers that have forward secrecy and authenticate what they encrypt, and HTTP/1.1 alone. Refuses a
 * certificate that cannot be used.
 */
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import uWS, { type TemplatedApp } from 'uWebSockets.js';
import type { TlsSettings } from '../protocol.js';

/** Of TLS 1.2; without this there are also those with CBC and those without forward secrecy. 1.3 has no others. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** createApp makes an application; throws when the certificate and its key cannot be used. */
export function createApp(tls: TlsSettings | undefined): TemplatedApp {
  if (tls === undefined) return uWS.App();
  return withFile(tls.cert, (cert_file_name) =>
    withFile(tls.key, (key_file_name) => {
      try {
        return uWS.SSLApp({ cert_file_name, key_file_name, ssl_ciphers: CIPHERS });
      } catch {
        throw new Error('uWebSockets.js cannot use the certificate with its key');
      }
    }),
  );
}

/** Calls `use` with the name of a file that has the text; nobody else can open it, and it is gone afterwards. */
function withFile<Result>(text: string, use: (file: string) => Result): Result {
  const descriptor = openNameless();
  try {
    writeFileSync(descriptor, text);
    return use(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file without a name: in memory where possible, for a key has no business on a disk that it did not come from. */
function openNameless(): number {
  const name = `.service-${process.pid}-${process.hrtime.bigint()}`;
  for (const folder of ['/dev/shm', tmpdir()]) {
    const file = join(folder, name);
    let descriptor: number;
    try {
      descriptor = openSync(file, 'wx', 0o600);
    } catch {
      continue; // not there, or read-only
    }
    unlinkSync(file);
    return descriptor;
  }
  throw new Error('neither /dev/shm nor the folder for temporary files can be written to');
}
