/**
 * The names of tools. A name is made of parts with dots between, and has to be one that clients take: what has none is no
 * tool. Names are never taken apart again, for a part may hold dots itself: they are looked up among those there are.
 */
import type { McpSettings } from '../protocol.js';

export type NameForm = McpSettings['toolNames'];

const DOTTED = /^[A-Za-z0-9_.-]{1,128}$/;
const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * toolName is the name that is made of parts: joined by dots or, in the plain form, with `_` for every character that
 * not all clients take. Undefined when clients would not take it.
 */
export function toolName(form: NameForm, ...parts: readonly string[]): string | undefined {
  const name = inForm(form, parts.join('.'));
  return (form === 'dotted' ? DOTTED : PLAIN).test(name) ? name : undefined;
}

/** namePrefix is what all names begin with that are made of these parts and others behind them. */
export function namePrefix(form: NameForm, ...parts: readonly string[]): string {
  return inForm(form, `${parts.join('.')}.`);
}

function inForm(form: NameForm, name: string): string {
  return form === 'dotted' ? name : name.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

/** genericToolName is the name of a tool that works on any table: one of ours, so that there always is one. */
export function genericToolName(form: NameForm, name: GenericTool): string {
  return toolName(form, 'service', name)!;
}

/** The tools that work on any table, in the order in which they are listed. */
export const GENERIC_TOOLS = [
  'list_databases',
  'list_schemas',
  'list_tables',
  'describe_table',
  'select_table',
] as const;

export type GenericTool = (typeof GENERIC_TOOLS)[number];

/** tableToolName is the name of the tool of a table. */
export function tableToolName(
  form: NameForm,
  table: { readonly alias: string; readonly schema: string; readonly name: string },
): string | undefined {
  return toolName(form, 'service', 'select', table.alias, table.schema, table.name);
}

/** mayName tells whether a name may be that of a tool of a table in a database. */
export function mayName(form: NameForm, alias: string, name: string): boolean {
  return name.startsWith(namePrefix(form, 'service', 'select', alias));
}
