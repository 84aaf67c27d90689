/**
 * Parses and writes TOML. Error messages have line and column but do not quote the text, which may contain a secret. The
 * only module that imports smol-toml.
 */
import { readFileSync } from 'node:fs';
import { parse, stringify, TomlError } from 'smol-toml';
import type { Issues } from './kind.js';

export type TomlTable = Readonly<Record<string, unknown>>;

/** readToml reads a file. It returns undefined, and adds an error to `issues`, when the file cannot be read. */
export function readToml(file: string, issues: Issues): TomlTable | undefined {
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

export function parseToml(text: string, file: string, issues: Issues): TomlTable | undefined {
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

export function writeToml(table: TomlTable): string {
  return stringify(table);
}
