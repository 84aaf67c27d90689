/**
 * TOML as text and as a table. What is wrong with a text is told by line and column, without quoting it, because the
 * lines around a mistake may hold a secret.
 */
import { readFileSync } from 'node:fs';
import { parse, stringify, TomlError } from 'smol-toml';
import type { Issues } from './kind.js';

/** Table is a TOML document, or a table in it. */
export type Table = Readonly<Record<string, unknown>>;

/** readToml reads a file; undefined when it cannot be used, and then `issues` says why. */
export function readToml(file: string, issues: Issues): Table | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : (code ?? 'unreadable');
    issues.errors.push(`${file}: cannot be read: ${reason}`);
    return undefined;
  }
  return parseToml(text, file, issues);
}

/** parseToml takes a text apart; `file` is what messages call it. */
export function parseToml(text: string, file: string, issues: Issues): Table | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest of the message quotes the lines around the mistake.
    const reason = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
    issues.errors.push(`${file}:${error.line}:${error.column}: ${reason}`);
    return undefined;
  }
}

/** writeToml writes a table, sections and all. */
export function writeToml(table: Table): string {
  return stringify(table);
}
