/**
 * Converts the connection of pREST to its database. A URL takes precedence over the other keys, but pREST reads only server,
 * user, password, database and sslmode from it: it is split into keys, and its other parts are reported as unused.
 */
import { parseDatabaseUrl } from '../config/database-url.js';
import type { KeyName } from '../config/schema.js';
import { convertKey, type RuleContext } from './rule.js';
import { variableIn, type GivenValue } from './source.js';

/** Keys that a URL can set, in the order of the documentation. */
const PARTS = ['pg.host', 'pg.port', 'pg.user', 'pg.pass', 'pg.database', 'pg.ssl.mode'] as const;

/** How pREST connects to the database of `pg`, by key: the defaults for entries of [[databases]]. */
export type ConnectionValues = ReadonlyMap<
  KeyName,
  { readonly value: unknown; readonly given?: GivenValue }
>;

/** convertConnection converts the keys of `pg`. */
export function convertConnection(context: RuleContext): ConnectionValues {
  const { draft, value, given, source } = context;
  const url = given('pg.url');
  const variable = variableIn(source.env, 'DATABASE_URL');
  const connection = new Map<KeyName, { value: unknown; given?: GivenValue }>();
  for (const key of PARTS) connection.set(key, { value: value(key), ...place(given(key)) });

  if (variable !== undefined) {
    const at = 'DATABASE_URL';
    if (url !== undefined) draft.unused(url.at, `${at} counts, in pREST too`);
    // This service reads the variable too, with all its parts.
    const parts = parseDatabaseUrl(variable);
    draft.requireVariable(at, at, variable);
    if (typeof parts === 'string')
      draft.problems.push(`${at}: ${parts}; this service reads it too`);
    else {
      draft.taken(at, 'this service reads it too: leave it set');
      for (const [key, part] of parts) connection.set(key, { value: part });
    }
  } else if (url !== undefined && value('pg.url') !== '') {
    const parts = urlParts(value('pg.url') as string);
    if (typeof parts === 'string') draft.problems.push(`${url.at}: ${parts}`);
    else convertUrl(context, url, parts, connection);
  }
  for (const key of PARTS) {
    const { given: setting } = connection.get(key)!;
    if (setting === undefined || draft.settings.has(key) || setting === url) continue;
    convertKey(key, context);
  }
  setDefaults(context, connection, variable !== undefined);
  reportSingle(context);
  return connection;
}

function place(given: GivenValue | undefined): { given?: GivenValue } {
  return given === undefined ? {} : { given };
}

/** The parts of a URL that pREST uses, by key, and the names of the parameters that it ignores. */
interface UrlParts {
  readonly parts: ReadonlyMap<KeyName, unknown>;
  readonly ignored: readonly string[];
}

/** urlParts splits a URL as pREST does, or returns an error message that does not quote it. */
export function urlParts(url: string): UrlParts | string {
  const [address = '', ...rest] = url.split('?');
  const pairs = rest
    .join('?')
    .split('&')
    .filter((pair) => pair !== '');
  const [modes, others] = [true, false].map((wanted) =>
    pairs.filter((pair) => pair.startsWith('sslmode=') === wanted),
  ) as [string[], string[]];
  const parts = parseDatabaseUrl(`${address}${modes.length > 0 ? `?${modes[0]}` : ''}`);
  if (typeof parts === 'string') return parts;
  return { parts, ignored: others.map((pair) => pair.split('=')[0]!) };
}

function convertUrl(
  { draft, given }: RuleContext,
  url: GivenValue,
  { parts, ignored }: UrlParts,
  connection: Map<KeyName, { value: unknown; given?: GivenValue }>,
): void {
  if (!parts.has('pg.database'))
    draft.problems.push(`${url.at}: it names no database; add /NAME to it`);
  for (const [key, part] of parts) {
    const own = given(key);
    if (own !== undefined) draft.unused(own.at, `${url.at} names it too, and counts`);
    connection.set(key, { value: part, given: url });
    if (key !== 'pg.pass') draft.set(key, part, url);
    else if (url.inFile) draft.settings.set(key, part);
    else {
      draft.requireVariable('SERVICE_PG_PASS', `the password in ${url.at}`, part as string);
      draft.renamed(url.at, 'set SERVICE_PG_PASS to the password in it');
    }
  }
  if (ignored.length > 0)
    draft.unused(url.at, `pREST does not look at ${ignored.join(', ')} in it`);
}

function setDefaults(
  { draft, value, given }: RuleContext,
  connection: ConnectionValues,
  byVariable: boolean,
): void {
  const set = (key: KeyName): boolean => connection.get(key)!.given !== undefined;
  if (!set('pg.database') && !byVariable)
    draft.setDefault('pg.database', value('pg.database'), "it is pREST's default");
  if (!set('pg.ssl.mode') && (connection.get('pg.ssl.mode')!.value === 'disable' || !byVariable))
    draft.differs(
      'pg.ssl.mode',
      'not set: pREST connects without TLS; here it is used when the server offers it (prefer)',
    );
  if (given('pg.maxidleconn') === undefined)
    draft.differs(
      'pg.maxidleconn',
      'not set: pREST closes each connection after use; here all pg.maxopenconn may stay open',
    );
}

function reportSingle({ draft, value, given }: RuleContext): void {
  const setting = given('pg.single');
  if (setting === undefined) return;
  const listed = (value('databases') as unknown[]).length > 0;
  if (value('pg.single') === true || listed)
    draft.unused(setting.at, 'only configured databases are served here, whatever it says');
  else
    draft.unsupported(
      setting.at,
      'pREST connects to whatever database a path names; here only configured ones are served: put each that is asked for into [[databases]]',
    );
}
