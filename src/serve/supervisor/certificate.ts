/**
 * Reads the certificate of the service and its key, and polls their files, so that a renewed certificate is noticed however
 * it was installed (overwritten, renamed, a changed link, on any file system). Rejects unreadable files, and a key that
 * does not match the certificate.
 */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../../observe/log.js';
import { Poller } from '../../base/poller.js';
import type { TlsSettings } from '../../messages/http-settings.js';

/** Absolute paths of a certificate with its chain, and of its key (PEM). */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** How often the files are polled (milliseconds). A change counts once two polls in a row have found the same. */
const INTERVAL = 1_000;

/** Polls (some ten minutes) after which a certificate whose HTTP processes did not start is tried again. */
const RETRY = 600;

/** readCertificate rejects when the files cannot be used, with a reason that quotes neither of them. */
export async function readCertificate(files: CertificateFiles): Promise<TlsSettings> {
  const texts = await readTexts(files);
  check(texts);
  return texts;
}

async function readTexts(files: CertificateFiles): Promise<TlsSettings> {
  const cert = await readText('certificate', files.cert);
  return { cert, key: await readText("certificate's key", files.key) };
}

async function readText(what: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`the ${what} cannot be read: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    });
  }
}

/** check throws unless the key belongs to the certificate. */
function check({ cert, key }: TlsSettings): void {
  try {
    // As Buffers, because createSecureContext ignores an empty string.
    createSecureContext({ cert: Buffer.from(cert), key: Buffer.from(key) });
  } catch (error) {
    const { reason, message } = error as Error & { reason?: string };
    throw new Error(`the certificate cannot be used with its key: ${reason ?? message}`, {
      cause: error,
    });
  }
}

export interface CertificateWatchOptions {
  /** The files to poll; undefined without TLS. */
  files(): CertificateFiles | undefined;
  /** The certificate and key that HTTP processes use. */
  served(): TlsSettings | undefined;
  /** Called when the files have another usable certificate. */
  renewed(): void;
}

export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  readonly #log: Logger;
  readonly #poller = new Poller(
    () => this.#poll(),
    () => INTERVAL,
  );
  /** Result of the last poll: the texts, or why they cannot be read. */
  #last = '';
  /** The result last used, or reported as unusable. */
  #handled = '';
  /** Polls until a usable result is tried again. */
  #left = Infinity;

  constructor(options: CertificateWatchOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#poller.wait();
  }

  stop(): void {
    this.#poller.stop();
  }

  async #poll(): Promise<void> {
    const files = this.#options.files();
    if (files === undefined) return;
    const found = await readTexts(files).catch((error: unknown) => error as Error);
    const served = this.#options.served();
    if (this.#poller.stopped || served === undefined) return;
    const seen = found instanceof Error ? found.message : both(found);
    const settled = seen === this.#last;
    this.#last = seen;
    this.#left -= 1;
    if (seen === both(served)) this.#handled = seen;
    else if (settled && (seen !== this.#handled || this.#left <= 0)) this.#act(seen, found);
  }

  #act(seen: string, found: TlsSettings | Error): void {
    this.#handled = seen;
    this.#left = Infinity;
    try {
      if (found instanceof Error) throw found;
      check(found);
    } catch (error) {
      this.#log.error(`the certificate in use stays: ${(error as Error).message}`);
      return;
    }
    this.#left = RETRY;
    this.#log.info('using a renewed certificate');
    this.#options.renewed();
  }
}

function both({ cert, key }: TlsSettings): string {
  return `${cert}\n${key}`;
}
