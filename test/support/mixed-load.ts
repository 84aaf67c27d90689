/** A load of fast requests, every fifth of them slow. */
import type { Test } from 'tap';
import { Load } from './load.js';
import type { Service } from './service.js';

/** The scripts that the load requests. */
export const MIXED_SCRIPTS = {
  'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
  'slow/sleep.read.sql': 'SELECT 1 AS n FROM pg_sleep({{sqlVal "s"}}::float8)',
} as const;

/** mixedLoad runs until the test ends. */
export function mixedLoad(t: Test, { port }: Service, clients = 12): Load {
  return new Load(t, {
    port,
    clients,
    target: (n) => `/_QUERIES/${n % 5 === 0 ? 'slow/sleep?s=0.02' : `hit/one?n=${n}`}`,
  });
}
