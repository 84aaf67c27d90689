/**
 * The databases beside that of `pg`: [[databases]] and the pairs DATABASE_ALIAS_n and DATABASE_URL_n. What an entry leaves
 * out pREST takes from `pg`, the password too; where this service would not do so, it is written into the entry.
 */
import { resolve } from 'node:path';
import { parseDatabaseUrl } from '../config/database-url.js';
import type { KeyName } from '../config/schema.js';
import { isIdentifier } from '../script/verb.js';
import { urlParts, type Reached } from './connection.js';
import type { Scene } from './rule.js';
import type { Given } from './source.js';

type Entry = Readonly<Record<string, unknown>>;

/** databases takes them over; `reached` is how that of `pg` is reached. */
export function databases(scene: Scene, reached: Reached): void {
  const { draft, value, given } = scene;
  const aliases = new Set(environmentAliases(scene));
  const said = given('databases');
  const entries: Entry[] = [];
  for (const [i, entry] of (value('databases') as Entry[]).entries()) {
    const at = `${said!.at}[${i}]`;
    const alias = typeof entry['alias'] === 'string' ? entry['alias'] : '';
    if (!isIdentifier(alias))
      draft.add('unused', at, 'pREST leaves it out: an alias is 1-63 letters, digits, _ or -');
    else if (aliases.has(alias))
      draft.add(
        'unused',
        at,
        `the alias ${alias} is there already, and that one counts in pREST too`,
      );
    else {
      aliases.add(alias);
      entries.push(entryOf(scene, { ...entry, alias }, at, reached));
    }
  }
  if (said !== undefined && entries.length > 0) draft.take('databases', entries, said);
  if (aliases.size === 0) return;
  if (value('pg.single') === true)
    draft.add(
      'differs',
      given('pg.single')?.at ?? 'pg.single',
      'pREST serves the default database alone while it is on; here every alias is served: leave out those that must not be',
    );
  const main = reached.get('pg.database')!.value as string;
  if (!aliases.has(main))
    draft.add(
      'differs',
      'pg.database',
      `${main} is served too, as the database of paths that name none; pREST refuses those`,
    );
}

/** The aliases of the environment, whose variables this service reads as well. */
function environmentAliases(scene: Scene): string[] {
  const { env } = scene.source;
  const { draft } = scene;
  const aliases: string[] = [];
  for (let n = 1; ; n++) {
    const [alias, url] = [`DATABASE_ALIAS_${n}`, `DATABASE_URL_${n}`].map((name) =>
      [name, `PREST_${name}`].find((candidate) => env[candidate]),
    );
    if (alias === undefined && url === undefined) {
      beyond(n, scene);
      return aliases;
    }
    if (alias === undefined || url === undefined) {
      draft.add(
        'unused',
        (alias ?? url)!,
        'pREST leaves it out, for the other of the pair is not set',
      );
      if ((alias ?? url)!.startsWith('PREST_')) continue;
      draft.problems.push(`${(alias ?? url)!}: the other of the pair is not set; unset this one`);
      continue;
    }
    aliases.push(env[alias]!);
    const wrong = parseDatabaseUrl(env[url]!);
    if (typeof wrong === 'string')
      draft.problems.push(`${url}: ${wrong}; this service reads it too`);
    for (const variable of [alias, url]) {
      const name = variable.replace(/^PREST_/, '');
      draft.require(name, variable, env[variable]!);
      if (name === variable)
        draft.add('taken', variable, 'this service reads it too: leave it set');
      else draft.add('renamed', variable, `set ${name} to its value`);
    }
  }
}

/** Pairs that only this service reads: pREST stops at the first number that is missing. */
function beyond(end: number, { source: { env }, draft }: Scene): void {
  for (const [name, text = ''] of Object.entries(env)) {
    const number = /^DATABASE_(?:ALIAS|URL)_(\d+)$/.exec(name)?.[1];
    const read = String(Number(number)) === number && Number(number) > 0 && Number(number) < end;
    if (number === undefined || text === '' || read) continue;
    draft.require(name, name, text);
    draft.add(
      'differs',
      name,
      `pREST does not read it, for there is no number ${end}; this service does: unset it, or that database is served`,
    );
  }
}

const FIELDS = new Set(
  'alias url host port user pass database ssl maxopenconn maxidleconn'.split(' '),
);

function entryOf(scene: Scene, entry: Entry, at: string, reached: Reached): Entry {
  const { draft, source } = scene;
  const said: Given = { written: undefined, at, inFile: true };
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(entry)) {
    if (!FIELDS.has(name)) draft.add('unused', `${said.at}.${name}`, 'pREST does not know it');
    // Zero and nothing are the same to pREST.
    else if (member !== '' && member !== 0) made[name] = member;
  }
  const ssl = made['ssl'] as Entry | undefined;
  if (ssl !== undefined)
    made['ssl'] = Object.fromEntries(
      Object.entries(ssl)
        .filter(([, member]) => member !== '')
        .map(([name, member]) => [
          name,
          name === 'mode' ? member : resolve(source.base, String(member)),
        ]),
    );
  if (typeof made['url'] === 'string') made['url'] = urlOf(scene, made['url'], at);
  const value = (key: KeyName): unknown => reached.get(key)!.value;
  if (made['url'] === undefined) {
    made['database'] ??= value('pg.database');
    if (made['host'] !== undefined) {
      made['port'] ??= value('pg.port');
      made['user'] ??= value('pg.user');
      password(scene, made, at, reached);
    }
  }
  return made;
}

/** No server but that of `pg` is sent its password unless the entry says so. */
function password(
  { draft }: Scene,
  made: Record<string, unknown>,
  at: string,
  reached: Reached,
): void {
  const { value, given } = reached.get('pg.pass')!;
  if (made['pass'] !== undefined) return;
  if (given === undefined || given.inFile) made['pass'] = value;
  else
    draft.add(
      'unsupported',
      at,
      `it takes the password of ${given.at} in pREST; give it one of its own: set pass, or DATABASE_ALIAS_n and DATABASE_URL_n`,
    );
}

/** A URL that this service can read: PostgreSQL's driver in pREST takes any parameter. */
function urlOf({ draft }: Scene, url: string, at: string): string {
  const whole = parseDatabaseUrl(url);
  if (typeof whole !== 'string') return url;
  const short = urlParts(url);
  if (typeof short === 'string') {
    draft.problems.push(`${at}.url: ${short}`);
    return url;
  }
  const { ignored } = short;
  const kept = url.split('?')[1]!.split('&');
  const known = kept.filter(
    (pair) => typeof parseDatabaseUrl(`postgres://h/?${pair}`) !== 'string',
  );
  draft.add(
    'unsupported',
    `${at}.url`,
    `of its parameters ${ignored.join(', ')} those that are no setting of a connection here are left out`,
  );
  return [url.split('?')[0]!, known.join('&')].filter((part) => part !== '').join('?');
}
