/**
 * The certificate that front ends show and its key: read from their files, and looked at again all the while, so that a
 * renewed one is noticed however it was put there (written over, renamed, a link that leads elsewhere, on any kind of
 * file system). Refuses files that cannot be read and a key that belongs to another certificate.
 */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../log.js';
import type { TlsSettings } from '../protocol.js';

/** Absolute paths of a certificate, followed by those it depends on, and of its key (PEM). */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** How often the files are looked at (milliseconds). They count once they were the same two times in a row. */
const INTERVAL = 1_000;

/** After so many looks (some ten minutes) a certificate whose front ends did not start is tried again. */
const RETRY = 600;

/** readCertificate reads both files. Rejects with the reason, which quotes neither file, when they cannot be used. */
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

/** check throws unless the key is that of the certificate. */
function check({ cert, key }: TlsSettings): void {
  try {
    // Buffers, for an empty string counts as absent there.
    createSecureContext({ cert: Buffer.from(cert), key: Buffer.from(key) });
  } catch (error) {
    const { reason, message } = error as Error & { reason?: string };
    throw new Error(`the certificate cannot be used with its key: ${reason ?? message}`, {
      cause: error,
    });
  }
}

/** What a watch asks and tells. */
export interface CertificateUse {
  /** The files to look at now; undefined when there is no TLS. */
  files(): CertificateFiles | undefined;
  /** What front ends show now. */
  served(): TlsSettings | undefined;
  /** A usable certificate other than the one served is there. */
  renewed(): void;
}

/** CertificateWatch looks at the files until it is stopped. */
export class CertificateWatch {
  readonly #use: CertificateUse;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** What was found the last time: texts, or why there are none. */
  #last = '';
  /** What was last put to use, or reported as unusable. */
  #handled = '';
  /** Looks until what is handled is tried again: none of what is unusable. */
  #left = Infinity;

  constructor(use: CertificateUse, log: Logger) {
    this.#use = use;
    this.#log = log;
    this.#wait();
  }

  /** stop looks no more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look().then(() => this.#wait()), INTERVAL);
  }

  async #look(): Promise<void> {
    const files = this.#use.files();
    if (files === undefined) return;
    const found = await readTexts(files).catch((error: unknown) => error as Error);
    const served = this.#use.served();
    if (this.#stopped || served === undefined) return;
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
    this.#log.info('a renewed certificate is put to use');
    this.#use.renewed();
  }
}

function both({ cert, key }: TlsSettings): string {
  return `${cert}\n${key}`;
}
