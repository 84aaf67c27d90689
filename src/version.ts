/** The version of this package. A leaf: imports nothing of ours. */
import { readFileSync } from 'node:fs';

/** version reads the version of this package. */
export function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
