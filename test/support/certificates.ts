/** Certificates for tests, made by openssl: self-signed, so that each is the only one to trust, or issued by an authority. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TlsSettings } from '#app/messages/http-settings.js';

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

/** What an authority issues a certificate for. */
export interface Subject {
  readonly name: string;
  /** Subject alternative names, as openssl writes them. */
  readonly names?: string;
  readonly expired?: boolean;
}

/** Authority is trusted by its certificate (PEM). */
export interface Authority {
  readonly cert: string;
  issue(subject: Subject): TlsSettings;
}

const AUTHORITY = `
[ca]
default_ca = only
[only]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
copy_extensions = copy
policy = any
[any]
commonName = supplied
`;

/** makeAuthority makes one; its certificates are valid until 2049, or were until 2021. */
export function makeAuthority(name: string): Authority {
  const own = makeCertificate(name);
  return {
    cert: own.cert,
    issue({ name: subject, names = 'DNS:localhost,IP:127.0.0.1', expired = false }) {
      const cwd = mkdtempSync(path.join(tmpdir(), 'authority-'));
      const openssl = (...args: string[]): unknown =>
        execFileSync('openssl', args, { cwd, stdio: 'pipe' });
      try {
        const files = { 'ca.cnf': AUTHORITY, 'ca.pem': own.cert, 'ca.key': own.key, index: '' };
        for (const [file, text] of Object.entries(files))
          writeFileSync(path.join(cwd, file), text, { mode: 0o600 });
        // prettier-ignore
        openssl(
          'req', ...KEYS.ec, '-nodes', '-keyout', 'key.pem', '-out', 'request.pem',
          '-subj', `/CN=${subject}`, '-addext', `subjectAltName=${names}`,
        );
        // prettier-ignore
        openssl(
          'ca', '-batch', '-config', 'ca.cnf', '-in', 'request.pem', '-out', 'cert.pem', '-notext',
          '-cert', 'ca.pem', '-keyfile', 'ca.key',
          '-startdate', '200101000000Z', '-enddate', `${expired ? '21' : '49'}0101000000Z`,
        );
        const read = (file: string): string => readFileSync(path.join(cwd, file), 'utf8');
        return { cert: read('cert.pem'), key: read('key.pem') };
      } finally {
        rmSync(cwd, { recursive: true });
      }
    },
  };
}
