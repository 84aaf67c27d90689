/**
 * Verifies passwords against stored hashes, and hashes new ones. Every check runs one bcrypt comparison, even for unknown
 * users, so that response times do not reveal which users exist. It refuses stored texts that are not a hash, and uses at
 * most two threads of libuv's pool, which also reads script files. The only module that imports bcrypt.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type bcrypt from 'bcrypt';
import { ServiceError } from '../../base/errors.js';

export type Scheme = 'bcrypt' | 'md5' | 'sha1';

/** bcrypt ignores what follows these bytes. */
export const BCRYPT_BYTES = 72;

/** Cost of new hashes, and of dummy comparisons until a stored hash has been seen. */
const COST = 10;

/** A stored hash above this cost, several seconds of work, is never compared: it would delay all other logins. */
const COST_LIMIT = 16;

const RUNNING_LIMIT = 2;
const WAITING_LIMIT = 64;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const NO_HASH = 'A'.repeat(53);

/** The two functions of bcrypt that are used. */
export type Bcrypt = Pick<typeof bcrypt, 'compare' | 'hash'>;

/** schemeOf tells how a stored password was hashed; undefined when it is not an accepted hash. */
export function schemeOf(stored: string | null | undefined): Scheme | undefined {
  if (typeof stored !== 'string') return undefined;
  const cost = BCRYPT.exec(stored)?.[1];
  if (cost !== undefined) return cost >= '04' && Number(cost) <= COST_LIMIT ? 'bcrypt' : undefined;
  if (/^[0-9a-f]{32}$/i.test(stored)) return 'md5';
  if (/^[0-9a-f]{40}$/i.test(stored)) return 'sha1';
  return undefined;
}

/** fitsBcrypt tells whether bcrypt reads all of a password: it stops at a NUL and after 72 bytes. */
export function fitsBcrypt(password: string): boolean {
  return !password.includes('\0') && Buffer.byteLength(password) <= BCRYPT_BYTES;
}

export class Passwords {
  readonly #bcrypt: Promise<Bcrypt>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** Cost of the stored hash seen last. */
  #cost = COST;

  /** `implementation` is for tests that count calls. bcrypt is loaded here: without logins, no process needs it. */
  constructor(implementation?: Bcrypt) {
    this.#bcrypt = implementation
      ? Promise.resolve(implementation)
      : import('bcrypt').then((module) => module.default);
  }

  /** verify tells whether a password matches the stored hash. Rejects with ServiceError `busy` when too many checks wait. */
  async verify(stored: string | null | undefined, password: string): Promise<boolean> {
    const scheme = schemeOf(stored);
    const usable = scheme === 'bcrypt' && fitsBcrypt(password);
    if (scheme === 'bcrypt') this.#cost = Number(BCRYPT.exec(stored!)![1]);
    const hash = usable ? stored!.replace(/^\$2y/, '$2b') : this.#dummy();
    const same = await this.#limited(({ compare }) => compare(usable ? password : '', hash));
    if (scheme === undefined || scheme === 'bcrypt') return usable && same;
    return timingSafeEqual(digest(password, scheme), Buffer.from(stored!, 'hex'));
  }

  /** hash resolves to the hash to store. Rejects as verify does, and with Error when bcrypt would ignore a part of it. */
  async hash(password: string, scheme: Scheme): Promise<string> {
    if (scheme !== 'bcrypt') return digest(password, scheme).toString('hex');
    if (!fitsBcrypt(password)) throw new Error('bcrypt cannot hold this password');
    return this.#limited(({ hash }) => hash(password, COST));
  }

  #dummy(): string {
    return `$2b$${String(this.#cost).padStart(2, '0')}$${NO_HASH}`;
  }

  async #limited<T>(work: (bcrypt: Bcrypt) => Promise<T>): Promise<T> {
    if (this.#running < RUNNING_LIMIT) this.#running++;
    else {
      if (this.#waiting.length >= WAITING_LIMIT)
        throw new ServiceError('busy', 'too many logins at one time');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work(await this.#bcrypt);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

function digest(password: string, scheme: 'md5' | 'sha1'): Buffer {
  return createHash(scheme).update(password).digest();
}
