/**
 * The command `contract diff`: prints what changed between two contracts, what breaks callers first. The new one is a file,
 * or is made of the current scripts. Exit code 1 for breaking changes with `--breaking`, and when there is no contract.
 */
import { counted, systemErrorText } from '../base/text.js';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ConfigSources } from './config/load.js';
import type { Change } from '../describe/contract/change.js';
import type { Contract } from '../describe/contract/contract.js';
import { diffContracts } from '../describe/contract/contract-diff.js';
import { ContractError, readContract } from '../describe/contract/contract-text.js';
import type { CommandLine } from './line/command-line.js';
import { currentContract, NoContract, reasonsOf } from './current-contract.js';
import { printable, quoted } from './line/printable.js';
import { ScriptSelection } from './check/script-selection.js';

/** printChanges resolves to the exit code. */
export async function printChanges(sources: ConfigSources, line: CommandLine): Promise<number> {
  const { operand, second, script, breaking, json } = line;
  try {
    if (operand === '-' && second === '-')
      throw new NoContract(['error: standard input can be only one of the contracts']);
    const old = selected(await contractAt(operand, sources.cwd), script);
    const now =
      second === ''
        ? await currentContract(sources, line, old.scripts.length > 0)
        : selected(await contractAt(second, sources.cwd), script);
    const changes = diffContracts(old, now);
    process.stdout.write(json ? jsonText(changes) : changesText(changes));
    return breaking && changes.some((change) => change.breaking) ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${reasonsOf(error).join('\n')}\n`);
    return 1;
  }
}

/** The contract of a file, or with `-` of standard input. */
async function contractAt(file: string, cwd: string): Promise<Contract> {
  const name = file === '-' ? 'standard input' : quoted(file);
  try {
    return readContract(
      file === '-' ? await standardInput() : await readFile(resolve(cwd, file), 'utf8'),
    );
  } catch (error) {
    if (error instanceof NoContract) throw error;
    if (error instanceof ContractError) throw new NoContract([`error: ${name}: ${error.message}`]);
    throw new NoContract([`error: ${name} cannot be read: ${systemErrorText(error)}`]);
  }
}

async function standardInput(): Promise<string> {
  if (process.stdin.isTTY)
    process.stderr.write('reading a contract from standard input; Ctrl-D ends it\n');
  const contract = await text(process.stdin);
  if (contract.trim() === '') throw new NoContract(['error: standard input is empty']);
  return contract;
}

function selected(contract: Contract, script: string | undefined): Contract {
  if (script === undefined) return contract;
  const selection = new ScriptSelection(script, '/', '/');
  const scripts = contract.scripts.filter(({ script: path, verb }) => {
    const [name = '', folder = '', alias] = path.split('/').reverse();
    return selection.has({ alias, folder, name, verb });
  });
  return { ...contract, scripts };
}

function jsonText(changes: readonly Change[]): string {
  const breaking = changes.filter((change) => change.breaking).length;
  return `${JSON.stringify({ breaking, compatible: changes.length - breaking, changes }, undefined, 2)}\n`;
}

/** Also valid Markdown, for the comment of a pull request. */
function changesText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no changes\n';
  const breaking = changes.filter((change) => change.breaking);
  const others = changes.filter((change) => !change.breaking);
  const section = (title: string, list: readonly Change[]): string[] =>
    list.length === 0 ? [] : ['', `${title}:`, '', ...list.map(changeLine)];
  const lines = [
    `${counted(breaking.length, 'breaking change')}, ${counted(others.length, 'compatible change')}`,
    ...section('Breaking', breaking),
    ...section('Compatible', others),
  ];
  return `${lines.join('\n')}\n`;
}

function changeLine({ script, verb, message }: Change): string {
  return `- ${printable(`${script} (${verb}): ${message}`)}`;
}
