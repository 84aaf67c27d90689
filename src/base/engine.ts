/**
 * What answers in the place of a PostgreSQL: PostgreSQL itself, Citus, which is an extension of it, or another program that
 * speaks its protocol. It is recognised by the text of version(), and each is said to lack what its documentation says
 * (docs/scaling.md).
 */
import { postgresVersion, unsupportedPostgres } from './version.js';

export type EngineName = 'PostgreSQL' | 'Citus' | 'YugabyteDB' | 'CockroachDB';

/** Engine is plain data, which can be sent to another thread. */
export interface Engine {
  readonly name: EngineName;
  /** Its own, for example 18.4 or 2025.1.0.0. */
  readonly version: string;
  /** Its name and version, and the version of PostgreSQL that it is made of. */
  readonly title: string;
  /** Whether it is a PostgreSQL inside: with row versions, a write-ahead log, and catalogs that can be analysed. */
  readonly isPostgres: boolean;
  /** The features of the service that it lacks, a sentence each. */
  readonly lacks: readonly string[];
  /** Why the service cannot be used with it; undefined when it can. */
  readonly unsupported: string | undefined;
}

/** Lacked by whatever is no PostgreSQL inside. */
const NO_POSTGRES: readonly string[] = [
  'it has no row versions (xmin): stored scripts are compared by their texts',
  'its catalogs cannot be analysed: scripts are not proved, and MCP clients are offered scripts but no tables',
  'it has no standby servers of PostgreSQL: pg.replicas is not used, and responses have no Service-LSN',
];

const LACKS: Readonly<Record<EngineName, readonly string[]>> = {
  PostgreSQL: [],
  Citus: [
    'settings of a transaction stay on the coordinator: policies on distributed tables do not see the claims of callers',
  ],
  YugabyteDB: [
    'it has LISTEN from version 2025.2.3 on, if yb_enable_listen_notify is on: else changes of stored scripts are found by polling only',
    ...NO_POSTGRES,
  ],
  CockroachDB: [
    'it has no LISTEN: changes of stored scripts are found by polling only',
    'it has no triggers on TRUNCATE: there is no history of stored scripts',
    'it stores json as jsonb: the members of objects in responses are sorted',
    ...NO_POSTGRES,
  ],
};

/** The oldest PostgreSQL that YugabyteDB may be made of. */
const OLDEST_FORK = 110_000;

/** engineOf recognises an engine. `text` is from version(), `number` is libpq's, `citus` the version of the extension. */
export function engineOf(text: string, number: number, citus: string | null): Engine {
  const [, cockroach] = /^CockroachDB\b.*? v(\d[\w.-]*)/.exec(text) ?? [];
  if (cockroach !== undefined) return made('CockroachDB', cockroach, undefined, undefined);
  const inside = `PostgreSQL ${postgresVersion(number)}`;
  const unsupported = unsupportedPostgres(number);
  const [, yugabyte] = /-YB-(\d[\d.]*)/.exec(text) ?? [];
  if (yugabyte !== undefined)
    return made('YugabyteDB', yugabyte, inside, number < OLDEST_FORK ? unsupported : undefined);
  if (citus !== null) return made('Citus', citus, inside, unsupported);
  return made('PostgreSQL', postgresVersion(number), undefined, unsupported);
}

function made(
  name: EngineName,
  version: string,
  inside: string | undefined,
  unsupported: string | undefined,
): Engine {
  return {
    name,
    version,
    title: `${name} ${version}${inside === undefined ? '' : ` (${inside})`}`,
    isPostgres: name === 'PostgreSQL' || name === 'Citus',
    lacks: LACKS[name],
    unsupported,
  };
}
