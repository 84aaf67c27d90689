/** Request ids of our own: a random prefix for each process and a counter, unique enough to find a line in a log. */
import { randomBytes } from 'node:crypto';

const prefix = randomBytes(6).toString('hex');
let counter = 0;

/** nextRequestId makes an id of `[0-9a-z-]`. */
export function nextRequestId(): string {
  counter++;
  return `${prefix}-${counter.toString(36)}`;
}
