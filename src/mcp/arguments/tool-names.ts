/**
 * Names of tools, in two forms. Dotted names are the specification's; a script or table without a dotted name that
 * clients accept has no tool in that form. Plain names are for clients that accept only `[A-Za-z0-9_-]{1,64}`; every
 * script and table has one. A name depends only on what it names, and the two forms have no name in common. Names are
 * never split again, because a part may itself contain dots: they are looked up among the known names.
 */
import { createHash } from 'node:crypto';
import type { McpSettings } from '../../messages/worker-settings.js';

export type NameForm = McpSettings['toolNames'];

export const FORMS: readonly NameForm[] = ['dotted', 'plain'];

export type ToolKind = 'select' | 'script';

/** Alias, schema and table; or alias, folder and script. */
export type ToolPath = readonly [alias: string, group: string, name: string];

const DOTTED = /^[A-Za-z0-9_.-]{1,128}$/;

/** Maximum length of a plain name, and of its part before a digest. */
const PLAIN_LENGTH = 64;
const DIGEST_LENGTH = 8;
const LEGIBLE_LENGTH = PLAIN_LENGTH - DIGEST_LENGTH - 1;

/** toolName is the name of a tool; undefined if clients would reject it. */
export function toolName(form: NameForm, kind: ToolKind, path: ToolPath): string | undefined {
  if (form === 'plain') return plainName(kind, path);
  const name = `${namePrefix(form, kind)}${path.join('.')}`;
  return DOTTED.test(name) ? name : undefined;
}

/** The first two parts, without `_`, and the last one: only one path has such a name. */
const PARTS: readonly RegExp[] = [/^[A-Za-z0-9-]+$/, /^[A-Za-z0-9-]+$/, /^[A-Za-z0-9_-]+$/];

/** The parts joined by `_`; a name that other parts would have too, or that is too long, ends with a digest of the parts. */
function plainName(kind: ToolKind, path: ToolPath): string {
  const name = `${namePrefix('plain', kind)}${path.join('_')}`;
  if (name.length <= PLAIN_LENGTH && path.every((part, i) => PARTS[i]!.test(part))) return name;
  const digest = createHash('sha256').update(path.join('\0')).digest('hex');
  return `${legible(name)}_${digest.slice(0, DIGEST_LENGTH)}`;
}

function legible(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, LEGIBLE_LENGTH);
}

/** namePrefix is the common beginning of all names of a kind. */
export function namePrefix(form: NameForm, kind: ToolKind): string {
  return form === 'dotted' ? `service.${kind}.` : `${kind}_`;
}

/** formOf is the form of a name: that in which such a tool may exist. */
export function formOf(name: string): NameForm {
  return name.startsWith('service.') ? 'dotted' : 'plain';
}

export function genericToolName(form: NameForm, name: GenericTool): string {
  return form === 'dotted' ? `service.${name}` : name;
}

/** The generic tools, which work on any table, in the order of `tools/list`. */
export const GENERIC_TOOLS = [
  'list_databases',
  'list_schemas',
  'list_tables',
  'describe_table',
  'select_table',
  'aggregate_table',
] as const;

export type GenericTool = (typeof GENERIC_TOOLS)[number];

/** tableToolName is the name of a table's tool, undefined if clients would reject it. */
export function tableToolName(
  form: NameForm,
  table: { readonly alias: string; readonly schema: string; readonly name: string },
): string | undefined {
  return toolName(form, 'select', [table.alias, table.schema, table.name]);
}

/** mayName tells whether a table's tool on a database can have a name. */
export function mayName(alias: string, name: string): boolean {
  const form = formOf(name);
  const prefix = `${namePrefix(form, 'select')}${alias}`;
  return name.startsWith(form === 'dotted' ? `${prefix}.` : legible(`${prefix}_`));
}
