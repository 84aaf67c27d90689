/**
 * The command `contract`: writes what every script takes and gives, as a file for version control or to standard output.
 * Writes nothing, with exit code 1, while a script is broken or a database does not answer.
 */
import { counted } from '../base/text.js';
import type { ConfigSources } from './config/load.js';
import { writeContract } from '../describe/contract/contract-text.js';
import type { CommandLine } from './line/command-line.js';
import { currentContract, reasonsOf } from './current-contract.js';
import { writeOut } from './line/out-file.js';

/** printContract resolves to the exit code. */
export async function printContract(
  sources: ConfigSources,
  line: Pick<CommandLine, 'out' | 'prove' | 'script'>,
): Promise<number> {
  try {
    const contract = await currentContract(sources, line);
    const about = counted(contract.scripts.length, 'script');
    await writeOut(sources.cwd, line.out, writeContract(contract), about);
    return 0;
  } catch (error) {
    process.stderr.write(`${reasonsOf(error).join('\n')}\nnothing was written\n`);
    return 1;
  }
}
