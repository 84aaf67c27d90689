/**
 * Converts the databases besides `pg`: [[databases]] and the pairs DATABASE_ALIAS_n and DATABASE_URL_n. In pREST an
 * entry inherits from `pg` what it does not set, even the password; values that it would not inherit here are written into
 * the entry.
 */
import { resolve } from 'node:path';
import { parseDatabaseUrl } from '../config/database-url.js';
import type { KeyName } from '../config/schema.js';
import { isIdentifier } from '../../base/identifier.js';
import { urlParts, type ConnectionValues } from './connection.js';
import type { RuleContext } from './rule.js';
import type { GivenValue } from './source.js';

type Entry = Readonly<Record<string, unknown>>;

/** convertDatabases converts the further databases; `connection` has the values of `pg`. */
export function convertDatabases(context: RuleContext, connection: ConnectionValues): void {
  const { draft, value, given } = context;
  const aliases = new Set(environmentAliases(context));
  const setting = given('databases');
  const entries: Entry[] = [];
  for (const [i, entry] of (value('databases') as Entry[]).entries()) {
    const at = `${setting!.at}[${i}]`;
    const alias = typeof entry['alias'] === 'string' ? entry['alias'] : '';
    if (!isIdentifier(alias))
      draft.unused(at, 'pREST leaves it out: an alias is 1-63 letters, digits, _ or -');
    else if (aliases.has(alias))
      draft.unused(at, `the alias ${alias} is there already, and that one counts in pREST too`);
    else {
      aliases.add(alias);
      entries.push(entryOf(context, { ...entry, alias }, at, connection));
    }
  }
  if (setting !== undefined && entries.length > 0) draft.set('databases', entries, setting);
  if (aliases.size === 0) return;
  if (value('pg.single') === true)
    draft.differs(
      given('pg.single')?.at ?? 'pg.single',
      'pREST serves the default database alone while it is on; here every alias is served: leave out those that must not be',
    );
  const main = connection.get('pg.database')!.value as string;
  if (!aliases.has(main))
    draft.differs(
      'pg.database',
      `${main} is served too, as the database of paths that name none; pREST refuses those`,
    );
}

/** The aliases in the environment, whose variables this service reads too. */
function environmentAliases(context: RuleContext): string[] {
  const { env } = context.source;
  const { draft } = context;
  const aliases: string[] = [];
  for (let n = 1; ; n++) {
    const [alias, url] = [`DATABASE_ALIAS_${n}`, `DATABASE_URL_${n}`].map((name) =>
      [name, `PREST_${name}`].find((candidate) => env[candidate]),
    );
    if (alias === undefined && url === undefined) {
      reportBeyond(n, context);
      return aliases;
    }
    if (alias === undefined || url === undefined) {
      draft.unused((alias ?? url)!, 'pREST leaves it out, for the other of the pair is not set');
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
      draft.requireVariable(name, variable, env[variable]!);
      if (name === variable) draft.taken(variable, 'this service reads it too: leave it set');
      else draft.renamed(variable, `set ${name} to its value`);
    }
  }
}

/** Reports pairs that only this service reads: pREST stops at the first missing number. */
function reportBeyond(end: number, { source: { env }, draft }: RuleContext): void {
  for (const [name, text = ''] of Object.entries(env)) {
    const number = /^DATABASE_(?:ALIAS|URL)_(\d+)$/.exec(name)?.[1];
    const read = String(Number(number)) === number && Number(number) > 0 && Number(number) < end;
    if (number === undefined || text === '' || read) continue;
    draft.requireVariable(name, name, text);
    draft.differs(
      name,
      `pREST does not read it, for there is no number ${end}; this service does: unset it, or that database is served`,
    );
  }
}

const FIELDS = new Set(
  'alias url host port user pass database ssl maxopenconn maxidleconn'.split(' '),
);

function entryOf(
  context: RuleContext,
  entry: Entry,
  at: string,
  connection: ConnectionValues,
): Entry {
  const { draft, source } = context;
  const setting: GivenValue = { written: undefined, at, inFile: true };
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(entry)) {
    if (!FIELDS.has(name)) draft.unused(`${setting.at}.${name}`, 'pREST does not know it');
    // pREST treats zero and an empty text as not set.
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
  if (typeof made['url'] === 'string') made['url'] = urlOf(context, made['url'], at);
  const value = (key: KeyName): unknown => connection.get(key)!.value;
  if (made['url'] === undefined) {
    made['database'] ??= value('pg.database');
    if (made['host'] !== undefined) {
      made['port'] ??= value('pg.port');
      made['user'] ??= value('pg.user');
      setPassword(context, made, at, connection);
    }
  }
  return made;
}

/** Sets the password of an entry with another host. That of `pg` is written only if the file contains it. */
function setPassword(
  { draft }: RuleContext,
  made: Record<string, unknown>,
  at: string,
  connection: ConnectionValues,
): void {
  const { value, given } = connection.get('pg.pass')!;
  if (made['pass'] !== undefined) return;
  if (given === undefined || given.inFile) made['pass'] = value;
  else
    draft.unsupported(
      at,
      `it takes the password of ${given.at} in pREST; give it one of its own: set pass, or DATABASE_ALIAS_n and DATABASE_URL_n`,
    );
}

/** The URL without parameters that this service refuses; pREST's driver accepts any. */
function urlOf({ draft }: RuleContext, url: string, at: string): string {
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
  draft.unsupported(
    `${at}.url`,
    `of its parameters ${ignored.join(', ')} those that are no setting of a connection here are left out`,
  );
  return [url.split('?')[0]!, known.join('&')].filter((part) => part !== '').join('?');
}
