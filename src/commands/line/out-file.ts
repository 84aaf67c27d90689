/** The outcome of a command, in the file of `--out` or on standard output. */
import { systemErrorText } from '../../base/text.js';
import { resolve } from 'node:path';
import { CommandError } from './session.js';
import { writeWhole } from './whole-file.js';

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
