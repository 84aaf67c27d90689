/**
 * From what pREST 2.4.2 is told to the settings of this service, with a line for each key, and the text of the
 * service.toml. A value that pREST would drop without a word is a problem here.
 */
import { ConfigError, loadConfig, type LoadedConfig } from '../config/load.js';
import { edits, nearest } from '../config/nearest.js';
import { NAMES, type KeyName } from '../config/schema.js';
import { writeToml } from '../config/toml.js';
import { authentication } from './authentication.js';
import { connection } from './connection.js';
import { databases } from './databases.js';
import { Draft } from './draft.js';
import { PREST_KEYS } from './keys.js';
import { permissions } from './permissions.js';
import { list } from './reader.js';
import type { Scene, TablesMode } from './rule.js';
import { variableOf, type Given, type PrestSource } from './source.js';
import { surroundings } from './surroundings.js';

/** Translation is a draft, and what counts for a key of pREST in it. */
export interface Translation {
  readonly draft: Draft;
  readonly value: (key: string) => unknown;
}

/** translate makes the draft. */
export function translate(source: PrestSource, mode: TablesMode): Translation {
  const draft = new Draft();
  const values = readValues(source, draft);
  const scene: Scene = {
    source,
    draft,
    mode,
    value: (key) => values.get(key)?.value ?? PREST_KEYS[key]!.fallback,
    given: (key) => values.get(key)?.given,
  };
  for (const [key, { rule }] of Object.entries(PREST_KEYS)) rule?.(key as KeyName, scene);
  databases(scene, connection(scene));
  authentication(scene);
  permissions(scene);
  surroundings(scene);
  port(scene);
  unknown(scene);
  return { draft, value: scene.value };
}

/** configurationText is the service.toml of a draft. */
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
  // A file may be called anything; a comment ends with its line.
  const made = from.replaceAll(/\p{Cc}/gu, '?');
  return `# Made from ${made} by sql-rest-service migrate from-prest.\n${variables}\n${writeToml(document)}`;
}

/** checkDraft loads what is to be written to `file`, as the service will; the problems of a draft are told by pREST's names. */
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
      const place = name === undefined ? undefined : draft.place(name);
      const known = place === undefined || problem.startsWith(place);
      draft.problems.push(known ? problem : `${place}: ${problem}`);
    }
    return undefined;
  }
}

interface ReadValue {
  readonly value: unknown;
  readonly given: Given;
}

function readValues(source: PrestSource, draft: Draft): Map<string, ReadValue> {
  const values = new Map<string, ReadValue>();
  for (const [key, { reader }] of Object.entries(PREST_KEYS)) {
    const given = source.get(key);
    if (given === undefined) continue;
    const value = reader.read(given.written);
    if (value === undefined) {
      draft.problems.push(
        `${given.at}: found something else than ${reader.allowed}, which pREST takes as nothing; put it right, or take it out`,
      );
      continue;
    }
    values.set(key, { value, given });
    if (!given.inFile && source.inFile(key) !== undefined)
      draft.add('unused', source.inFile(key)!.at, `${given.at} is set and counts, in pREST too`);
    if (!given.inFile && reader === list && String(given.written).includes(','))
      draft.add(
        'differs',
        given.at,
        'pREST splits it at spaces, not at commas, and so it was taken over',
      );
  }
  return values;
}

/** PORT is read by this service too, and counts more than the key. */
function port({ source, draft }: Scene): void {
  const text = source.env['PORT'] ?? '';
  if (text === '') return;
  if (/^\d+$/.test(text)) {
    draft.require('PORT', 'PORT', text);
    draft.add('taken', 'PORT', 'this service reads it too: leave it set');
  } else
    draft.problems.push(
      'PORT: pREST leaves it out, for it is no number; unset it for this service',
    );
}

const OTHER_VARIABLES = /^PREST_(CONF|LOG_LEVEL|DATABASE_(ALIAS|URL)_\d+)$/;

/** What pREST does not know has no effect there. */
function unknown({ source, draft }: Scene): void {
  const keys = Object.keys(PREST_KEYS);
  const variables = keys.map(variableOf);
  const say = (at: string, name: string, known: readonly string[]): void => {
    const near = nearest(name, known);
    const hint = edits(name, near) <= 2 ? `; if ${near} was meant, it has never had an effect` : '';
    draft.add('unused', at, `pREST 2.4.2 does not know it${hint}`);
  };
  for (const key of source.keys) if (!(key in PREST_KEYS)) say(source.inFile(key)!.at, key, keys);
  for (const name of Object.keys(source.env))
    if (name.startsWith('PREST_') && !variables.includes(name) && !OTHER_VARIABLES.test(name))
      say(name, name, variables);
}
