/**
 * The token of requests to authenticated contestants, and its key. It is signed without the library that the service uses.
 */
import { createHmac } from 'node:crypto';

/** The key that signs it; not a secret. */
export const KEY = 'the key of a benchmark, known to everybody';

/** The database role in the token, see SCHEMA. */
export const READER = 'bench_reader';

const DAY = 86_400;

/** authorization is the value of an Authorization header, good for a day. */
export function authorization(): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: 'HS256', typ: 'JWT' };
  const claims = { UserInfo: { username: 'bench' }, role: READER, exp: now + DAY };
  const text = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  return `Bearer ${text}.${createHmac('sha256', KEY).update(text).digest('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
