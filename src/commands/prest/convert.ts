/**
 * Converts a configuration of pREST 2.4.2 to settings of this service, with a finding for each key, and writes the text of
 * the service.toml. A value that pREST would silently ignore is a problem here.
 */
import { ConfigError, loadConfig, type LoadedConfig } from '../config/load.js';
import { edits, nearest } from '../../base/nearest.js';
import { NAMES, type KeyName } from '../config/schema.js';
import { writeToml } from '../config/toml.js';
import { convertAuthentication } from './authentication.js';
import { convertConnection } from './connection.js';
import { convertDatabases } from './databases.js';
import { Draft } from './draft.js';
import { PREST_KEYS } from './keys.js';
import { convertPermissions } from './permissions.js';
import { list } from './reader.js';
import type { RuleContext, TablesMode } from './rule.js';
import { prestVariable, type GivenValue, type PrestSource } from './source.js';
import { convertOtherDefaults } from './other-defaults.js';

export interface Conversion {
  readonly draft: Draft;
  /** value returns the effective value of a key in pREST. */
  readonly value: (key: string) => unknown;
}

export function convert(source: PrestSource, mode: TablesMode): Conversion {
  const draft = new Draft();
  const values = readValues(source, draft);
  const context: RuleContext = {
    source,
    draft,
    mode,
    value: (key) => values.get(key)?.value ?? PREST_KEYS[key]!.fallback,
    given: (key) => values.get(key)?.given,
  };
  for (const [key, { rule }] of Object.entries(PREST_KEYS)) rule?.(key as KeyName, context);
  convertDatabases(context, convertConnection(context));
  convertAuthentication(context);
  convertPermissions(context);
  convertOtherDefaults(context);
  convertPort(context);
  reportUnknown(context);
  return { draft, value: context.value };
}

/** configurationText is the content of the service.toml. */
export function configurationText(draft: Draft, from: string): string {
  const document: Record<string, unknown> = {};
  const inOrder = NAMES.filter((name) => draft.settings.has(name));
  for (const name of inOrder) {
    const path = name.split('.');
    let table = document;
    for (const part of path.slice(0, -1)) table = (table[part] ??= {}) as Record<string, unknown>;
    table[path.at(-1)!] = draft.settings.get(name);
  }
  const variables = draft.variables.map(({ name, from }) => `# Set ${name}: ${from}\n`).join('');
  // A file name may contain a line break, which would end the comment.
  const made = from.replaceAll(/\p{Cc}/gu, '?');
  return `# Made from ${made} by sql-rest-service migrate from-prest.\n${variables}\n${writeToml(document)}`;
}

/** checkDraft loads `text` as the content of `file`, as the service will; problems are reported under pREST's names. */
export function checkDraft(
  draft: Draft,
  file: string,
  text: string,
  cwd: string,
): LoadedConfig | undefined {
  try {
    return loadConfig({ file, text, env: draft.environment, cwd });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) {
      const name = /^(?:SERVICE_\w+ \()?([a-z._]+)/.exec(problem)?.[1] as KeyName | undefined;
      const place = name === undefined ? undefined : draft.sourceOf(name);
      const known = place === undefined || problem.startsWith(place);
      draft.problems.push(known ? problem : `${place}: ${problem}`);
    }
    return undefined;
  }
}

interface ReadValue {
  readonly value: unknown;
  readonly given: GivenValue;
}

function readValues(source: PrestSource, draft: Draft): Map<string, ReadValue> {
  const values = new Map<string, ReadValue>();
  for (const [key, { reader }] of Object.entries(PREST_KEYS)) {
    const given = source.get(key);
    if (given === undefined) continue;
    const value = reader.read(given.written);
    if (value === undefined) {
      draft.problems.push(
        `${given.at}: found something other than ${reader.allowed}, which pREST ignores; fix or remove it`,
      );
      continue;
    }
    values.set(key, { value, given });
    if (!given.inFile && source.inFile(key) !== undefined)
      draft.unused(source.inFile(key)!.at, `${given.at} is set and counts, in pREST too`);
    if (!given.inFile && reader === list && String(given.written).includes(','))
      draft.differs(
        given.at,
        'pREST splits it at spaces, not at commas, and it was converted accordingly',
      );
  }
  return values;
}

/** This service reads PORT too; it takes precedence over the key. */
function convertPort({ source, draft }: RuleContext): void {
  const text = source.env['PORT'] ?? '';
  if (text === '') return;
  if (/^\d+$/.test(text)) {
    draft.requireVariable('PORT', 'PORT', text);
    draft.taken('PORT', 'this service reads it too: leave it set');
  } else
    draft.problems.push(
      'PORT: pREST leaves it out, for it is no number; unset it for this service',
    );
}

const OTHER_VARIABLES = /^PREST_(CONF|LOG_LEVEL|DATABASE_(ALIAS|URL)_\d+)$/;

/** Reports keys and variables that pREST does not know, and that have no effect there. */
function reportUnknown({ source, draft }: RuleContext): void {
  const keys = Object.keys(PREST_KEYS);
  const variables = keys.map(prestVariable);
  const report = (at: string, name: string, known: readonly string[]): void => {
    const near = nearest(name, known);
    const hint = edits(name, near) <= 2 ? `; if ${near} was meant, it has never had an effect` : '';
    draft.unused(at, `pREST 2.4.2 does not know it${hint}`);
  };
  for (const key of source.keys)
    if (!(key in PREST_KEYS)) report(source.inFile(key)!.at, key, keys);
  for (const name of Object.keys(source.env))
    if (name.startsWith('PREST_') && !variables.includes(name) && !OTHER_VARIABLES.test(name))
      report(name, name, variables);
}
