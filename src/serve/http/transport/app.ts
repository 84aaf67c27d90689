/**
 * The application of uWebSockets.js that an HTTP process serves, over TLS when there is a certificate: TLS 1.2 and 1.3, with
 * forward secrecy and authenticated encryption, and HTTP/1.1 only.
 */
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import uWS, { type TemplatedApp } from 'uWebSockets.js';
import type { TlsSettings } from '../../../messages/http-settings.js';

/** For TLS 1.2, whose default also has CBC and ciphers without forward secrecy; TLS 1.3 has neither. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** createApp throws when the certificate and its key cannot be used. */
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

/** Calls `use` with the name of a file that has the text; other processes cannot open it, and it is gone afterwards. */
function withFile<Result>(text: string, use: (file: string) => Result): Result {
  const descriptor = openUnlinked();
  try {
    writeFileSync(descriptor, text);
    return use(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens an unlinked file, in memory where possible: a key should not reach another disk than its own. */
function openUnlinked(): number {
  const name = `.service-${process.pid}-${process.hrtime.bigint()}`;
  for (const folder of ['/dev/shm', tmpdir()]) {
    const file = join(folder, name);
    let descriptor: number;
    try {
      descriptor = openSync(file, 'wx', 0o600);
    } catch {
      continue; // missing or read-only
    }
    unlinkSync(file);
    return descriptor;
  }
  throw new Error('neither /dev/shm nor the folder for temporary files can be written to');
}
