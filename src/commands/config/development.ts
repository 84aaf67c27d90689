/**
 * Development mode: what the command `dev` changes. It is no key, so that no file and no variable can switch it on where a
 * service is run: errors then show the SQL of scripts to everyone who reaches it.
 */
import { isThisMachine } from '../../base/this-machine.js';
import type { KeyName } from './schema.js';

export const DEVELOPMENT_DEFAULTS: Readonly<Partial<Record<KeyName, unknown>>> = {
  'http.host': '127.0.0.1',
  'http.processes': 1,
  'pool.threads': 1,
  'log.access': true,
};

/** notForDevelopment says why an address cannot be used in development mode; undefined when it can. */
export function notForDevelopment(host: string): string | undefined {
  if (isThisMachine(host)) return undefined;
  return `http.host is ${host}, which other machines can reach, and the errors of development mode show the SQL of scripts: use dev with --http.host 127.0.0.1, or the command serve`;
}
