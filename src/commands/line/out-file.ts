/** The outcome of a command, in the file of `--out` or on standard output. Files are written as a whole. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { systemErrorText } from '../../base/text.js';
import { dirname, join, resolve } from 'node:path';
import { CommandError } from './session.js';

/** writeOut writes a file and reports it; `about` describes the text. Rejects with CommandError. */
export async function writeOut(
  cwd: string,
  out: string | undefined,
  text: string,
  about: string,
): Promise<void> {
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  const path = resolve(cwd, out);
  try {
    await writeWhole(path, text);
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${systemErrorText(error)}`);
  }
  process.stdout.write(`wrote ${out}: ${about}\n`);
}

/** writeWhole writes beside the file first: it has its old text until the new one is complete, and on disk. */
export async function writeWhole(path: string, text: string): Promise<void> {
  // In the same folder, so that rename is atomic, under a name that is not a script's.
  const temporary = join(dirname(path), `.${randomUUID()}`);
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
