/**
 * Names of tools: parts joined by dots. A script or table without a name that clients accept has no tool. Names are
 * never split again, because a part may itself contain dots: they are looked up among the known names.
 */
import type { McpSettings } from '../settings.js';

export type NameForm = McpSettings['toolNames'];

const DOTTED = /^[A-Za-z0-9_.-]{1,128}$/;
const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * toolName joins parts by dots; in the plain form `_` replaces every character that some clients reject. Undefined if
 * clients would reject the name.
 */
export function toolName(form: NameForm, ...parts: readonly string[]): string | undefined {
  const name = inForm(form, parts.join('.'));
  return (form === 'dotted' ? DOTTED : PLAIN).test(name) ? name : undefined;
}

/** namePrefix is the common beginning of all names that start with these parts. */
export function namePrefix(form: NameForm, ...parts: readonly string[]): string {
  return inForm(form, `${parts.join('.')}.`);
}

function inForm(form: NameForm, name: string): string {
  return form === 'dotted' ? name : name.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

/** genericToolName is the name of a generic tool, which is always valid. */
export function genericToolName(form: NameForm, name: GenericTool): string {
  return toolName(form, 'service', name)!;
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
  return toolName(form, 'service', 'select', table.alias, table.schema, table.name);
}

/** mayName tells whether a name can be that of a table's tool on a database. */
export function mayName(form: NameForm, alias: string, name: string): boolean {
  return name.startsWith(namePrefix(form, 'service', 'select', alias));
}
