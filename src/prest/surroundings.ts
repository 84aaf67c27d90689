/**
 * Keys whose default is another one here, or that mean something else: where the service listens, CORS, the form of JSON,
 * where scripts and tables are, plugins. Where pREST's default is what clients rely on it is written; where it would open
 * something, it is not.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { takeOver, type Scene } from './rule.js';
import { variableIn } from './source.js';
import { TABLE_NAMES } from './table-names.js';

/** surroundings takes these keys over. */
export function surroundings(scene: Scene): void {
  listening(scene);
  json(scene);
  cors(scene);
  scriptsFolder(scene);
  tableNames(scene);
  plugins(scene);
  switches(scene);
  logLevel(scene);
}

function listening(scene: Scene): void {
  const { draft, value, given, source } = scene;
  const host = given('http.host');
  // Go takes an empty host for every address.
  const written = value('http.host') === '' ? '0.0.0.0' : value('http.host');
  if (host !== undefined) draft.take('http.host', written, host);
  else if (value('auth.enabled') !== true)
    draft.add(
      'differs',
      'http.host',
      'not set: pREST listens on every address, here that is 127.0.0.1 while auth.enabled is off; set http.host to be reached from elsewhere',
    );
  for (const key of ['https.cert', 'https.key'] as const)
    if (!takeOver(key, scene) && value('https.mode') === true)
      draft.write(key, resolve(source.base, value(key) as string), "it is pREST's default");
}

function json({ draft, value, given }: Scene): void {
  const said = given('json.agg.type');
  const why =
    'clients get rows as before, members sorted and repeated ones dropped; json_agg, the default here, keeps the columns in their order';
  if (said === undefined) draft.write('json.agg.type', 'jsonb_agg', why);
  else if (value('json.agg.type') === 'json_agg') draft.take('json.agg.type', 'json_agg', said);
  else draft.take('json.agg.type', 'jsonb_agg', said);
}

function cors(scene: Scene): void {
  const { draft, value, given } = scene;
  const origin = given('cors.alloworigin');
  if (origin === undefined) {
    draft.add(
      'differs',
      'cors.alloworigin',
      'not set: pREST lets every origin call; here none may. Name those whose pages use the service',
    );
    for (const key of ['cors.allowheaders', 'cors.allowmethods', 'cors.allowcredentials'] as const)
      takeOver(key, scene);
    return;
  }
  const origins = value('cors.alloworigin') as string[];
  const usable = origins.filter((item) => item === '*' || isOrigin(item));
  const credentials = value('cors.allowcredentials') as boolean;
  draft.take('cors.alloworigin', usable, origin);
  for (const item of origins.filter((item) => !usable.includes(item)))
    draft.add(
      'unsupported',
      origin.at,
      `${JSON.stringify(item)} is left out: an origin is *, or a scheme, a host and perhaps a port; list each one`,
    );
  for (const key of ['cors.allowheaders', 'cors.allowmethods'] as const) {
    if (!takeOver(key, scene)) draft.write(key, value(key), "it is pREST's default");
  }
  const said = given('cors.allowcredentials');
  const wanted = credentials && !usable.includes('*');
  const why =
    'with * any site could act as its visitors; name the origins, then set it, if pages send credentials';
  if (said !== undefined)
    draft.take('cors.allowcredentials', wanted, said, wanted === credentials ? undefined : why);
  else
    draft.write(
      'cors.allowcredentials',
      wanted,
      wanted ? "it is pREST's default" : `pREST's default is true, but ${why}`,
    );
}

function isOrigin(text: string): boolean {
  try {
    // A pattern is an origin to URL; here it would match nobody.
    return !text.includes('*') && new URL(text).origin === text;
  } catch {
    return false;
  }
}

function scriptsFolder({ source, draft, value, given }: Scene): void {
  const said = given('queries.location');
  if (said === undefined) {
    const folder = resolve(variableIn(source.env, 'HOME') ?? homedir(), 'queries');
    draft.write(
      'queries.location',
      folder,
      'pREST takes the folder queries in the home of the user it runs as; set it when that is another user',
    );
    return;
  }
  const written = value('queries.location') as string;
  const folder = resolve(source.base, written);
  const missing = existsSync(folder)
    ? undefined
    : 'there is no such folder, so it will be made, empty';
  draft.take('queries.location', folder, said, missing);
  if (missing !== undefined && !isAbsolute(written))
    draft.add(
      'differs',
      said.at,
      `it was looked for in ${source.base}; run this where pREST is started`,
    );
}

/** What the tables are called: pREST's own names are written, because the defaults are others here. */
function tableNames({ draft, value, given, mode }: Scene): void {
  for (const { table, columns } of TABLE_NAMES) {
    const said = given(table.key);
    const theirs = (value(table.key) as string) || table.theirs;
    const copied = mode === 'copy' && theirs !== table.ours;
    if (copied) {
      draft.settings.set(table.key, table.ours);
      draft.add('renamed', said?.at ?? table.key, `${table.ours} here, with the rows of ${theirs}`);
    } else if (said !== undefined) draft.take(table.key, theirs, said);
    else draft.write(table.key, theirs, "it is pREST's table");
    for (const { key, ours } of columns) {
      const column = given(key);
      if (column === undefined) continue;
      if (!copied) draft.take(key, value(key), column);
      else if (value(key) !== ours)
        draft.add('renamed', column.at, `the column is called ${ours} in the copy`);
    }
  }
}

function plugins(scene: Scene): void {
  const { source, draft, value, given } = scene;
  const folder = resolve(source.base, value('pluginpath') as string);
  takeOver('pluginpath', scene);
  const libraries = libraryNames(folder);
  if (libraries.length > 0)
    draft.add(
      'unsupported',
      given('pluginpath')?.at ?? 'pluginpath',
      `${libraries.join(', ')} in ${folder}: plugins of pREST are Go plugins, which only pREST can load; they have to be built anew`,
    );
  const middlewares = value('pluginmiddlewarelist') as { file?: unknown }[];
  if (middlewares.length > 0)
    draft.add(
      'unsupported',
      given('pluginmiddlewarelist')!.at,
      `${middlewares.map(({ file }) => JSON.stringify(file)).join(', ')}: there are no middlewares here; what they check must be checked by authentication, permissions or a proxy in front`,
    );
}

function libraryNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.so'));
  } catch {
    return [];
  }
}

function switches({ draft, value, given }: Scene): void {
  const debug = given('debug');
  if (debug !== undefined && value('debug') === true)
    draft.add(
      'differs',
      debug.at,
      'not taken over: here it adds the database\'s messages to answers. log.level = "debug" writes more to the log',
    );
  else if (debug !== undefined) draft.take('debug', false, debug);
  const cache = given('cache.enabled');
  if (cache !== undefined && value('cache.enabled') === true)
    draft.add('unsupported', cache.at, 'answers are not cached here; a proxy in front can do so');
  else if (cache !== undefined) draft.add('unused', cache.at, 'answers are not cached here');
}

/** The level of the log is set in the environment alone. */
function logLevel({ source, draft }: Scene): void {
  const at = 'PREST_LOG_LEVEL';
  const level = source.env[at];
  if (level === undefined || level === '') return;
  const ours = ['debug', 'info', 'warn', 'error'].find((name) => name === level.toLowerCase());
  if (ours === undefined) draft.add('unused', at, 'it is none of DEBUG, INFO, WARN, ERROR');
  else draft.take('log.level', ours, { written: level, at, inFile: false });
}
