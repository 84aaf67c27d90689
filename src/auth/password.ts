/**
 * Checks passwords against what is stored of them, and hashes new ones. Whatever is stored, also nothing, one comparison
 * of bcrypt is done for it, so that the time of an answer does not tell who is a user. It refuses stored texts that are no
 * hash, and more work than two threads of libuv's pool can take, for the others have scripts to look after. The only
 * module that imports bcrypt.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import bcrypt from 'bcrypt';
import { ServiceError } from '../errors.js';

/** How a password is stored. */
export type Scheme = 'bcrypt' | 'md5' | 'sha1';

/** Most that bcrypt looks at (bytes). */
export const BCRYPT_BYTES = 72;

/** Cost of new hashes, and of the comparisons made in vain until a stored one is seen. */
const COST = 10;

/** A stored hash beyond this cost, some seconds of work, is not compared: one name would keep all others waiting. */
const COST_LIMIT = 16;

const RUNNING_LIMIT = 2;
const WAITING_LIMIT = 64;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const NO_HASH = 'A'.repeat(53);

/** The two functions of bcrypt that are used. */
export type Bcrypt = Pick<typeof bcrypt, 'compare' | 'hash'>;

/** schemeOf tells how a stored password was hashed; undefined when it is nothing that is ever accepted. */
export function schemeOf(stored: string | null | undefined): Scheme | undefined {
  if (typeof stored !== 'string') return undefined;
  const cost = BCRYPT.exec(stored)?.[1];
  if (cost !== undefined) return cost >= '04' && Number(cost) <= COST_LIMIT ? 'bcrypt' : undefined;
  if (/^[0-9a-f]{32}$/i.test(stored)) return 'md5';
  if (/^[0-9a-f]{40}$/i.test(stored)) return 'sha1';
  return undefined;
}

/** fitsBcrypt tells whether bcrypt can tell a password from all others: it ends at a NUL and after 72 bytes. */
export function fitsBcrypt(password: string): boolean {
  return !password.includes('\0') && Buffer.byteLength(password) <= BCRYPT_BYTES;
}

/** Passwords checks and hashes passwords, a few at a time. */
export class Passwords {
  readonly #bcrypt: Bcrypt;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** Cost of the last stored hash that was seen. */
  #cost = COST;

  /** `implementation` is bcrypt, unless a test counts its calls. */
  constructor(implementation: Bcrypt = bcrypt) {
    this.#bcrypt = implementation;
  }

  /** verify tells whether a password is the stored one. Rejects with ServiceError `busy` when too many wait already. */
  async verify(stored: string | null | undefined, password: string): Promise<boolean> {
    const scheme = schemeOf(stored);
    const usable = scheme === 'bcrypt' && fitsBcrypt(password);
    if (scheme === 'bcrypt') this.#cost = Number(BCRYPT.exec(stored!)![1]);
    const hash = usable ? stored!.replace(/^\$2y/, '$2b') : this.#dummy();
    const same = await this.#limited(() => this.#bcrypt.compare(usable ? password : '', hash));
    if (scheme === undefined || scheme === 'bcrypt') return usable && same;
    return timingSafeEqual(digest(password, scheme), Buffer.from(stored!, 'hex'));
  }

  /** hash gives what to store of a password. Rejects like verify, and with Error when bcrypt cannot hold it. */
  async hash(password: string, scheme: Scheme): Promise<string> {
    if (scheme !== 'bcrypt') return digest(password, scheme).toString('hex');
    if (!fitsBcrypt(password)) throw new Error('bcrypt cannot hold this password');
    return this.#limited(() => this.#bcrypt.hash(password, COST));
  }

  #dummy(): string {
    return `$2b$${String(this.#cost).padStart(2, '0')}$${NO_HASH}`;
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < RUNNING_LIMIT) this.#running++;
    else {
      if (this.#waiting.length >= WAITING_LIMIT)
        throw new ServiceError('busy', 'too many logins at one time');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // Its place goes to the next one that waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

function digest(password: string, scheme: 'md5' | 'sha1'): Buffer {
  return createHash(scheme).update(password).digest();
}
