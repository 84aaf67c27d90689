/** The completions for fish. */
import { COMMAND_LIST } from './commands.js';
import {
  commandFlags,
  KEY_FLAGS,
  nextWords,
  OPERANDS,
  operandsBy,
  POSITIONS,
  VALUED,
  WITH_VALUE,
} from './completion-data.js';

const COMPLETE = 'complete -c sql-rest-service';

/** fishCompletion gives a script to be sourced. */
export function fishCompletion(): string {
  const withKeys = COMMAND_LIST.filter(([, { keys }]) => keys !== false).map(([name]) => name);
  return `# Completions of sql-rest-service for fish, printed by: sql-rest-service completion fish
function __sql_rest_service_position
    set -l position
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case '--*=*'
                continue
            case ${quoted(WITH_VALUE)}
                set skip yes
                continue
            case '-*'
                continue
        end
        if test "$word" = help -a -z "$position"
            continue
        end
        set -l next (string trim -- "$position $word")
        if contains -- $next ${quoted(POSITIONS)}
            set position $next
        end
    end
    echo $position
end
function __sql_rest_service_at
    set -l position (__sql_rest_service_position)
    contains -- "$position" $argv
end
${COMPLETE} -f
${[...nextWords()]
  .flatMap(([at, next]) =>
    next.map(({ word, meaning }) => `${when([at])} -a ${word} -d ${quote(meaning)}`),
  )
  .join('\n')}
${OPERANDS.map(([name, words]) => `${when([name])} -a ${quote(words.join(' '))}`).join('\n')}
${when(operandsBy('file'))} -F
${when(operandsBy('folder'))} -a '(__fish_complete_directories)'
${COMMAND_LIST.flatMap(([name]) =>
  commandFlags(name).map(
    ({ word, meaning }) =>
      `${when([name])} -l ${word.slice(2)}${valueOf(word)} -d ${quote(meaning)}`,
  ),
).join('\n')}
${KEY_FLAGS.map(({ word, meaning }) => `${when(withKeys)} -l ${word.slice(2)} -x -d ${quote(meaning)}`).join('\n')}
`;
}

function when(positions: readonly string[]): string {
  return `${COMPLETE} -n "__sql_rest_service_at ${quoted(positions)}"`;
}

function valueOf(word: string): string {
  const found = VALUED.find(({ flag }) => flag === word);
  if (found === undefined) return '';
  if (found.isFile) return ' -r -F';
  return found.words.length === 0 ? ' -x' : ` -x -a ${quote(found.words.join(' '))}`;
}

function quoted(words: readonly string[]): string {
  return words.map(quote).join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
