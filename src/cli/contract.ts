/**
 * The command `contract`: writes what every script takes and gives, as a file for version control or to standard output.
 * Writes nothing, with exit code 1, while a script is broken or a database does not answer.
 */
import { resolve } from 'node:path';
import type { ConfigSources } from '../config/load.js';
import { writeContract } from '../contract/contract-text.js';
import type { CommandLine } from './command-line.js';
import { currentContract, NoContract, reasonsOf } from './current-contract.js';
import { writeWhole } from './whole-file.js';

/** printContract resolves to the exit code. */
export async function printContract(
  sources: ConfigSources,
  line: Pick<CommandLine, 'out' | 'prove' | 'script'>,
): Promise<number> {
  try {
    const contract = await currentContract(sources, line);
    const text = writeContract(contract);
    if (line.out === undefined) process.stdout.write(text);
    else {
      await writeFileAt(resolve(sources.cwd, line.out), text);
      const { length } = contract.scripts;
      process.stdout.write(`wrote ${line.out}: ${length} script${length === 1 ? '' : 's'}\n`);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${reasonsOf(error).join('\n')}\nnothing was written\n`);
    return 1;
  }
}

async function writeFileAt(path: string, text: string): Promise<void> {
  try {
    await writeWhole(path, text);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new NoContract([`error: ${path} cannot be written: ${code}`]);
  }
}
