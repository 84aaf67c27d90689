/**
 * `POST /auth`: a token for a name and its password. Whatever is wrong with them, the answer is the same after the same
 * work. Guesses are bounded: an attempt is counted before the password is looked at, and taken back when it was right.
 * It refuses to check anything while it cannot be counted, or the users cannot be looked up.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { AttemptEnd, AttemptKeys, LoginSettings, StoredUser } from '../protocol.js';
import { addressKey } from './client-address.js';
import { isRepeated } from './bearer.js';
import { fitsBcrypt, schemeOf, type Passwords } from './password.js';
import type { TokenIssuer } from './token-issuer.js';

/** Where users are. */
export interface UserStore {
  /** Null when there is none; rejects with ServiceError when that cannot be known. */
  findUser(username: string): Promise<StoredUser | null>;
  renewPassword(username: string, from: string, to: string): Promise<void>;
}

/** Who counts attempts. */
export interface Attempts {
  /** Milliseconds to wait, or 0 when it may be made; rejects with ServiceError when nobody counts. */
  begin(keys: AttemptKeys): Promise<number>;
  end(keys: AttemptKeys, end: AttemptEnd): void;
}

/** What Login works with. */
export interface LoginParts {
  readonly users: UserStore;
  readonly attempts: Attempts;
  readonly passwords: Passwords;
  readonly tokens: Pick<TokenIssuer, 'issue'>;
  readonly log: Logger;
}

/** A request to log in. */
export interface LoginRequest {
  /** The header, empty when there is none. */
  readonly authorization: string;
  readonly body: Buffer | undefined;
  /** Of the client, as ClientAddress gives it. */
  readonly address: string;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Login answers requests to log in. */
export class Login {
  readonly #settings: LoginSettings;
  readonly #parts: LoginParts;
  #warned = false;

  constructor(settings: LoginSettings, parts: LoginParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /**
   * answer checks a request and resolves to the JSON of its answer. Rejects with ServiceError: `login_failed`,
   * `login_missing`, `too_many_logins` (with `retryAfter`) or `busy`.
   */
  async answer({ authorization, body, address }: LoginRequest): Promise<string> {
    const { attempts, tokens } = this.#parts;
    const credentials = this.#settings.type === 'basic' ? fromBasic(authorization) : fromBody(body);
    const keys = {
      user: credentials && userKey(credentials.username),
      address: addressKey(address),
    };
    const wait = await attempts.begin(keys);
    if (wait > 0) {
      const retryAfter = Math.ceil(wait / 1000);
      throw new ServiceError('too_many_logins', undefined, { retryAfter });
    }
    let user: StoredUser | undefined;
    try {
      user = await this.#check(credentials);
    } catch (error) {
      attempts.end(keys, 'unchecked');
      throw error;
    }
    if (user === undefined) throw new ServiceError('login_failed');
    attempts.end(keys, 'succeeded');
    const { id, name, metadata } = user;
    const info = { id, name, username: credentials!.username, metadata };
    return JSON.stringify({ user_info: info, token: await tokens.issue(info) });
  }

  /** The user whose password it is; undefined after the same work when it is nobody's. */
  async #check(credentials: Credentials | undefined): Promise<StoredUser | undefined> {
    const { users, passwords } = this.#parts;
    const { username = '', password = '' } = credentials ?? {};
    // A text ends at a NUL on its way to the database, where it would be another name.
    const known = credentials !== undefined && !username.includes('\0');
    const user = known ? await users.findUser(username) : null;
    const right = await passwords.verify(user?.password, password);
    if (user === null || !right) return undefined;
    void this.#renew(username, user.password!, password);
    return user;
  }

  /** Stores a better hash in the place of an old one. The login does not depend on it. */
  async #renew(username: string, stored: string, password: string): Promise<void> {
    if (this.#settings.encrypt !== 'bcrypt' || schemeOf(stored) === 'bcrypt') return;
    if (!fitsBcrypt(password)) return;
    const { users, passwords, log } = this.#parts;
    try {
      const hash = await passwords.hash(password, 'bcrypt');
      await users.renewPassword(username, stored, hash);
    } catch (error) {
      if (error instanceof ServiceError || this.#warned) return; // there is no time now, but with a later login
      this.#warned = true;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(`an old password hash could not be renewed with bcrypt: ${reason}`);
    }
  }
}

/** Names are counted without being kept, and however long they are. */
function userKey(username: string): string {
  return createHash('sha256').update(username).digest('base64url');
}

/** The name and password of a JSON body, undefined when they are not in it. */
function fromBody(body: Buffer | undefined): Credentials | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const { username, password } = JSON.parse(text) as Record<string, unknown>;
    return credentialsOf(username, password);
  } catch {
    return undefined;
  }
}

/** The name and password of an Authorization header, undefined when it is a broken one of the scheme. */
function fromBasic(authorization: string): Credentials | undefined {
  if (isRepeated(authorization)) return undefined;
  const [, encoded] = /^basic(?: +(.*))?$/i.exec(authorization) ?? missing();
  if (encoded === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  try {
    const bytes = Buffer.from(encoded, 'base64');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const colon = text.indexOf(':');
    return colon < 0 ? undefined : credentialsOf(text.slice(0, colon), text.slice(colon + 1));
  } catch {
    return undefined;
  }
}

function missing(): never {
  throw new ServiceError('login_missing');
}

function credentialsOf(username: unknown, password: unknown): Credentials | undefined {
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { username: username.toLowerCase(), password };
}
