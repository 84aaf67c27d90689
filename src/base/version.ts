/** The version of this package, and the versions of PostgreSQL that it supports. */
import { createRequire } from 'node:module';

export function version(): string {
  return (createRequire(import.meta.url)('#package') as { version: string }).version;
}

/** The oldest supported major version of PostgreSQL. */
const OLDEST_POSTGRES = 13;

/** postgresVersion formats libpq's number of a version: 150018 is 15.18. */
export function postgresVersion(version: number): string {
  return `${Math.floor(version / 10_000)}.${version % 10_000}`;
}

/** unsupportedPostgres gives the message for a version (libpq's number) that is too old, else undefined. */
export function unsupportedPostgres(version: number): string | undefined {
  if (version >= OLDEST_POSTGRES * 10_000) return undefined;
  return `PostgreSQL ${postgresVersion(version)} is not supported: the oldest supported version is ${OLDEST_POSTGRES}`;
}
