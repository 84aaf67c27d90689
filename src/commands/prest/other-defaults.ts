/**
 * Converts keys with another default or meaning here: address, CORS, form of the JSON, scripts folder, tables, plugins.
 * Defaults of pREST that clients rely on are written; defaults that would open the service are not.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { convertKey, type RuleContext } from './rule.js';
import { variableIn } from './source.js';

/** The tables of users and scripts: the keys that name them, and the defaults in pREST and here. */
const TABLE_NAMES = [
  {
    table: { key: 'auth.table', theirs: 'prest_users', ours: 'service_users' },
    columns: [
      { key: 'auth.username', ours: 'username' },
      { key: 'auth.password', ours: 'password' },
    ],
  },
  {
    table: { key: 'queries.table', theirs: 'prest_queries', ours: 'service_queries' },
    columns: [],
  },
] as const;

export function convertOtherDefaults(context: RuleContext): void {
  convertAddress(context);
  convertJson(context);
  convertCors(context);
  convertScriptsFolder(context);
  convertTableNames(context);
  convertPlugins(context);
  convertSwitches(context);
  convertLogLevel(context);
}

function convertAddress(context: RuleContext): void {
  const { draft, value, given, source } = context;
  const host = given('http.host');
  // In Go an empty host means all addresses.
  const written = value('http.host') === '' ? '0.0.0.0' : value('http.host');
  if (host !== undefined) draft.set('http.host', written, host);
  else if (value('auth.enabled') !== true)
    draft.differs(
      'http.host',
      'not set: pREST listens on every address, here that is 127.0.0.1 while auth.enabled is off; set http.host to be reached from elsewhere',
    );
  for (const key of ['https.cert', 'https.key'] as const)
    if (!convertKey(key, context) && value('https.mode') === true)
      draft.setDefault(key, resolve(source.base, value(key) as string), "it is pREST's default");
}

function convertJson({ draft, value, given }: RuleContext): void {
  const setting = given('json.agg.type');
  const why =
    'clients get rows as before, members sorted and repeated ones dropped; json_agg, the default here, keeps the columns in their order';
  if (setting === undefined) draft.setDefault('json.agg.type', 'jsonb_agg', why);
  else if (value('json.agg.type') === 'json_agg') draft.set('json.agg.type', 'json_agg', setting);
  else draft.set('json.agg.type', 'jsonb_agg', setting);
}

function convertCors(context: RuleContext): void {
  const { draft, value, given } = context;
  const origin = given('cors.alloworigin');
  if (origin === undefined) {
    draft.differs(
      'cors.alloworigin',
      'not set: pREST lets every origin call; here none may. Name those whose pages use the service',
    );
    for (const key of ['cors.allowheaders', 'cors.allowmethods', 'cors.allowcredentials'] as const)
      convertKey(key, context);
    return;
  }
  const origins = value('cors.alloworigin') as string[];
  const usable = origins.filter((item) => item === '*' || isUsableOrigin(item));
  const credentials = value('cors.allowcredentials') as boolean;
  draft.set('cors.alloworigin', usable, origin);
  for (const item of origins.filter((item) => !usable.includes(item)))
    draft.unsupported(
      origin.at,
      `${JSON.stringify(item)} is left out: an origin is *, or a scheme, a host and perhaps a port; list each one`,
    );
  for (const key of ['cors.allowheaders', 'cors.allowmethods'] as const) {
    if (!convertKey(key, context)) draft.setDefault(key, value(key), "it is pREST's default");
  }
  const setting = given('cors.allowcredentials');
  const wanted = credentials && !usable.includes('*');
  const why =
    'with * any site could act as its visitors; name the origins, then set it, if pages send credentials';
  if (setting !== undefined)
    draft.set('cors.allowcredentials', wanted, setting, wanted === credentials ? undefined : why);
  else
    draft.setDefault(
      'cors.allowcredentials',
      wanted,
      wanted ? "it is pREST's default" : `pREST's default is true, but ${why}`,
    );
}

function isUsableOrigin(text: string): boolean {
  try {
    // URL accepts a pattern as an origin, but here it would never match.
    return !text.includes('*') && new URL(text).origin === text;
  } catch {
    return false;
  }
}

function convertScriptsFolder({ source, draft, value, given }: RuleContext): void {
  const setting = given('queries.location');
  if (setting === undefined) {
    const folder = resolve(variableIn(source.env, 'HOME') ?? homedir(), 'queries');
    draft.setDefault(
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
  draft.set('queries.location', folder, setting, missing);
  if (missing !== undefined && !isAbsolute(written))
    draft.differs(
      setting.at,
      `it was looked for in ${source.base}; run this where pREST is started`,
    );
}

/** Converts the names of tables; pREST's defaults are written, because this service has others. */
function convertTableNames({ draft, value, given, mode }: RuleContext): void {
  for (const { table, columns } of TABLE_NAMES) {
    const setting = given(table.key);
    const theirs = (value(table.key) as string) || table.theirs;
    const copied = mode === 'copy' && theirs !== table.ours;
    if (copied) {
      draft.settings.set(table.key, table.ours);
      draft.renamed(setting?.at ?? table.key, `${table.ours} here, with the rows of ${theirs}`);
    } else if (setting !== undefined) draft.set(table.key, theirs, setting);
    else draft.setDefault(table.key, theirs, "it is pREST's table");
    for (const { key, ours } of columns) {
      const column = given(key);
      if (column === undefined) continue;
      if (!copied) draft.set(key, value(key), column);
      else if (value(key) !== ours)
        draft.renamed(column.at, `the column is called ${ours} in the copy`);
    }
  }
}

function convertPlugins(context: RuleContext): void {
  const { source, draft, value, given } = context;
  const folder = resolve(source.base, value('pluginpath') as string);
  convertKey('pluginpath', context);
  const libraries = libraryNames(folder);
  if (libraries.length > 0)
    draft.unsupported(
      given('pluginpath')?.at ?? 'pluginpath',
      `${libraries.join(', ')} in ${folder}: plugins of pREST are Go plugins, which only pREST can load; they have to be built anew`,
    );
  const middlewares = value('pluginmiddlewarelist') as { file?: unknown }[];
  if (middlewares.length > 0)
    draft.unsupported(
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

function convertSwitches({ draft, value, given }: RuleContext): void {
  const debug = given('debug');
  if (debug !== undefined && value('debug') === true)
    draft.differs(
      debug.at,
      'not converted: here it adds the database\'s messages to answers. log.level = "debug" writes more to the log',
    );
  else if (debug !== undefined) draft.set('debug', false, debug);
  const cache = given('cache.enabled');
  if (cache !== undefined && value('cache.enabled') === true)
    draft.unsupported(cache.at, 'answers are not cached here; a proxy in front can do so');
  else if (cache !== undefined) draft.unused(cache.at, 'answers are not cached here');
}

/** pREST reads the log level from the environment only. */
function convertLogLevel({ source, draft }: RuleContext): void {
  const at = 'PREST_LOG_LEVEL';
  const level = source.env[at];
  if (level === undefined || level === '') return;
  const ours = ['debug', 'info', 'warn', 'error'].find((name) => name === level.toLowerCase());
  if (ours === undefined) draft.unused(at, 'it is not one of DEBUG, INFO, WARN, ERROR');
  else draft.set('log.level', ours, { written: level, at, inFile: false });
}
