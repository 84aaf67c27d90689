/** The command `completion`: prints the completions for a shell. */
import { bashCompletion } from './completion-bash.js';
import { fishCompletion } from './completion-fish.js';
import { zshCompletion } from './completion-zsh.js';

const SHELLS: Readonly<Record<string, () => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** completionFor gives the script for a shell of the table of commands. */
export function completionFor(shell: string): string {
  return SHELLS[shell]!();
}
