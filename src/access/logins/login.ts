/**
 * `POST /auth`: issues a token for a user name and password. All failures get the same answer after the same work.
 * Attempts are limited: each is counted before the password is checked, and uncounted when the password is right. While
 * attempts cannot be counted, or users cannot be looked up, no password is checked.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { AttemptEnd, AttemptKeys } from '../../messages/ipc.js';
import { LOGINS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import type { LoginSettings } from '../../messages/access-settings.js';
import type { StoredUser } from '../../messages/tasks.js';
import { addressKey } from './client-address.js';
import { isRepeated } from '../tokens/bearer.js';
import { fitsBcrypt, schemeOf, type Passwords } from './password.js';
import type { TokenIssuer } from '../tokens/token-issuer.js';
import { errorText } from '../../base/text.js';

/** The users table. */
export interface UserStore {
  /** Null when there is no such user; rejects with ServiceError when the lookup fails. */
  findUser(username: string, requestId: string): Promise<StoredUser | null>;
  renewPassword(username: string, from: string, to: string): Promise<void>;
}

export interface Attempts {
  /** Milliseconds until an attempt is allowed, 0 if it is allowed now; rejects with ServiceError when the supervisor does not answer. */
  begin(keys: AttemptKeys): Promise<number>;
  end(keys: AttemptKeys, end: AttemptEnd): void;
}

export interface LoginRequest {
  /** The Authorization header, empty when absent. */
  readonly authorization: string;
  readonly body: Buffer | undefined;
  /** Address of the client, from ClientAddress. */
  readonly address: string;
  readonly requestId: string;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export class Login {
  readonly #settings: LoginSettings;
  readonly #users: UserStore;
  readonly #attempts: Attempts;
  readonly #passwords: Passwords;
  readonly #tokens: Pick<TokenIssuer, 'issue'>;
  readonly #log: Logger;
  #warned = false;

  constructor(
    settings: LoginSettings,
    users: UserStore,
    attempts: Attempts,
    passwords: Passwords,
    tokens: Pick<TokenIssuer, 'issue'>,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#users = users;
    this.#attempts = attempts;
    this.#passwords = passwords;
    this.#tokens = tokens;
    this.#log = log;
  }

  /**
   * respond checks the credentials and resolves to the JSON of the response. Rejects with ServiceError: `login_failed`,
   * `login_missing`, `too_many_logins` (with `retryAfter`) or `busy`.
   */
  async respond({ authorization, body, address, requestId }: LoginRequest): Promise<string> {
    const credentials = this.#settings.type === 'basic' ? fromBasic(authorization) : fromBody(body);
    const keys = {
      user: credentials && userKey(credentials.username),
      address: addressKey(address),
    };
    const wait = await this.#attempts.begin(keys);
    if (wait > 0) {
      counts[LOGINS.locked_out]! += 1;
      const retryAfter = Math.ceil(wait / 1000);
      throw new ServiceError('too_many_logins', undefined, { retryAfter });
    }
    let user: StoredUser | undefined;
    try {
      user = await this.#check(credentials, requestId);
    } catch (error) {
      counts[LOGINS.unchecked]! += 1;
      this.#attempts.end(keys, 'unchecked');
      throw error;
    }
    if (user === undefined) {
      counts[LOGINS.failed]! += 1;
      throw new ServiceError('login_failed');
    }
    counts[LOGINS.succeeded]! += 1;
    this.#attempts.end(keys, 'succeeded');
    const { id, name, metadata } = user;
    const info = { id, name, username: credentials!.username, metadata };
    return JSON.stringify({ user_info: info, token: await this.#tokens.issue(info) });
  }

  /** Resolves to the user with these credentials, or to undefined after the same work. */
  async #check(
    credentials: Credentials | undefined,
    requestId: string,
  ): Promise<StoredUser | undefined> {
    const { username = '', password = '' } = credentials ?? {};
    const user = credentials === undefined ? null : await this.#users.findUser(username, requestId);
    const right = await this.#passwords.verify(user?.password, password);
    if (user === null || !right) return undefined;
    void this.#renew(username, user.password!, password, requestId);
    return user;
  }

  /** Replaces an old md5 or sha1 hash with a bcrypt hash. The login does not wait for it or fail with it. */
  async #renew(
    username: string,
    stored: string,
    password: string,
    requestId: string,
  ): Promise<void> {
    if (this.#settings.encrypt !== 'bcrypt' || schemeOf(stored) === 'bcrypt') return;
    if (!fitsBcrypt(password)) return;
    try {
      const hash = await this.#passwords.hash(password, 'bcrypt');
      await this.#users.renewPassword(username, stored, hash);
    } catch (error) {
      if (error instanceof ServiceError || this.#warned) return; // too busy now: a later login tries again
      this.#warned = true;
      const reason = errorText(error);
      this.#log.warn(
        { requestId, reason },
        'an old password hash could not be renewed with bcrypt',
      );
    }
  }
}

/** The hash of a name: the counter does not store names, and they may be long. */
function userKey(username: string): string {
  return createHash('sha256').update(username).digest('base64url');
}

/** The credentials in a JSON body; undefined without them. */
function fromBody(body: Buffer | undefined): Credentials | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const { username, password } = JSON.parse(text) as Record<string, unknown>;
    return credentialsOf(username, password);
  } catch {
    return undefined;
  }
}

/** The credentials in an Authorization header, undefined when malformed. Throws for any scheme but Basic. */
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
