/**
 * How pREST reaches its databases. A URL wins over the keys beside it, and pREST reads no more of it than server, names,
 * password and sslmode; so it is taken apart, and the rest of it is said to be of no effect.
 */
import { parseDatabaseUrl } from '../config/database-url.js';
import type { KeyName } from '../config/schema.js';
import { takeOver, type Scene } from './rule.js';
import { variableIn, type Given } from './source.js';

/** Keys that a URL can name, in the order of the documentation. */
const PARTS = ['pg.host', 'pg.port', 'pg.user', 'pg.pass', 'pg.database', 'pg.ssl.mode'] as const;

/** Reached is how the database of `pg` is reached, by key: what entries of [[databases]] fall back to. */
export type Reached = ReadonlyMap<KeyName, { readonly value: unknown; readonly given?: Given }>;

/** connection takes the keys of `pg` over and gives what came of them. */
export function connection(scene: Scene): Reached {
  const { draft, value, given, source } = scene;
  const url = given('pg.url');
  const variable = variableIn(source.env, 'DATABASE_URL');
  const reached = new Map<KeyName, { value: unknown; given?: Given }>();
  for (const key of PARTS) reached.set(key, { value: value(key), ...place(given(key)) });

  if (variable !== undefined) {
    const at = 'DATABASE_URL';
    if (url !== undefined) draft.add('unused', url.at, `${at} counts, in pREST too`);
    // It is read as it is here, so all of it counts.
    const parts = parseDatabaseUrl(variable);
    draft.require(at, at, variable);
    if (typeof parts === 'string')
      draft.problems.push(`${at}: ${parts}; this service reads it too`);
    else {
      draft.add('taken', at, 'this service reads it too: leave it set');
      for (const [key, part] of parts) reached.set(key, { value: part });
    }
  } else if (url !== undefined && value('pg.url') !== '') {
    const parts = urlParts(value('pg.url') as string);
    if (typeof parts === 'string') draft.problems.push(`${url.at}: ${parts}`);
    else takeUrl(scene, url, parts, reached);
  }
  for (const key of PARTS) {
    const { given: said } = reached.get(key)!;
    if (said === undefined || draft.settings.has(key) || said === url) continue;
    takeOver(key, scene);
  }
  defaults(scene, reached, variable !== undefined);
  single(scene);
  return reached;
}

function place(given: Given | undefined): { given?: Given } {
  return given === undefined ? {} : { given };
}

/** What pREST takes of a URL, by key, and the names of the parameters that it does not look at. */
interface UrlParts {
  readonly parts: ReadonlyMap<KeyName, unknown>;
  readonly ignored: readonly string[];
}

/** urlParts takes a URL apart as pREST does, or says what is wrong with it, without quoting it. */
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

function takeUrl(
  { draft, given }: Scene,
  url: Given,
  { parts, ignored }: UrlParts,
  reached: Map<KeyName, { value: unknown; given?: Given }>,
): void {
  if (!parts.has('pg.database'))
    draft.problems.push(`${url.at}: it names no database; add /NAME to it`);
  for (const [key, part] of parts) {
    const own = given(key);
    if (own !== undefined) draft.add('unused', own.at, `${url.at} names it too, and counts`);
    reached.set(key, { value: part, given: url });
    if (key !== 'pg.pass') draft.take(key, part, url);
    else if (url.inFile) draft.settings.set(key, part);
    else {
      draft.require('SERVICE_PG_PASS', `the password in ${url.at}`, part as string);
      draft.add('renamed', url.at, 'set SERVICE_PG_PASS to the password in it');
    }
  }
  if (ignored.length > 0)
    draft.add('unused', url.at, `pREST does not look at ${ignored.join(', ')} in it`);
}

function defaults({ draft, value, given }: Scene, reached: Reached, byVariable: boolean): void {
  const set = (key: KeyName): boolean => reached.get(key)!.given !== undefined;
  if (!set('pg.database') && !byVariable)
    draft.write('pg.database', value('pg.database'), "it is pREST's default");
  if (!set('pg.ssl.mode') && (reached.get('pg.ssl.mode')!.value === 'disable' || !byVariable))
    draft.add(
      'differs',
      'pg.ssl.mode',
      'not set: pREST connects without TLS; here it is used when the server offers it (prefer)',
    );
  if (given('pg.maxidleconn') === undefined)
    draft.add(
      'differs',
      'pg.maxidleconn',
      'not set: pREST closes each connection after use; here all pg.maxopenconn may stay open',
    );
}

function single({ draft, value, given }: Scene): void {
  const said = given('pg.single');
  if (said === undefined) return;
  const listed = (value('databases') as unknown[]).length > 0;
  if (value('pg.single') === true || listed)
    draft.add('unused', said.at, 'only configured databases are served here, whatever it says');
  else
    draft.add(
      'unsupported',
      said.at,
      'pREST connects to whatever database a path names; here only configured ones are served: put each that is asked for into [[databases]]',
    );
}
