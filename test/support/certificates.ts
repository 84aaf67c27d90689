/** Certificates for tests, made by openssl: self-signed, so that each is the only one to trust. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TlsSettings } from '#app/protocol.js';

const KEYS = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['-newkey', 'rsa:2048'],
} as const;

/** makeCertificate makes one for localhost and 127.0.0.1 with a name that tells it from others. */
export function makeCertificate(name: string, kind: keyof typeof KEYS = 'ec'): TlsSettings {
  const folder = mkdtempSync(path.join(tmpdir(), 'certificate-'));
  const [cert, key] = ['cert.pem', 'key.pem'].map((file) => path.join(folder, file)) as [
    string,
    string,
  ];
  try {
    execFileSync(
      'openssl',
      // prettier-ignore
      [
        'req', '-x509', ...KEYS[kind], '-nodes', '-days', '2', '-keyout', key, '-out', cert,
        '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
      ],
      { stdio: 'pipe' },
    );
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
