/** The completions for zsh. */
import { COMMAND_LIST } from './commands.js';
import {
  casePattern,
  commandFlags,
  FILE_FLAGS,
  KEY_FLAGS,
  nextWords,
  OPERANDS,
  operandsBy,
  POSITIONS,
  TEXT_FLAGS,
  WITH_VALUE,
  WORD_FLAGS,
  type Choice,
} from './completion-data.js';

/** zshCompletion gives a script to be sourced, or to be a file _sql-rest-service in $fpath. */
export function zshCompletion(): string {
  return `#compdef sql-rest-service
# Completions of sql-rest-service for zsh, printed by: sql-rest-service completion zsh
_sql_rest_service() {
  local word position=
  local -a choices options keys
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      (--*=*) continue ;;
      (${WITH_VALUE.join('|')}) ((i++)); continue ;;
      (-*) continue ;;
      (help) [[ -z $position ]] && continue ;;
    esac
    case "\${position:+$position }$word" in
      (${casePattern(POSITIONS)}) position="\${position:+$position }$word" ;;
    esac
  done
  case $words[CURRENT-1] in
    (${FILE_FLAGS.join('|')}) _files; return ;;
${WORD_FLAGS.map(({ flag, words }) => `    (${flag}) compadd ${words.join(' ')}; return ;;`).join('\n')}
    (${TEXT_FLAGS.join('|')}) return ;;
  esac
  if [[ $PREFIX == -* ]]; then
    keys=(${described(KEY_FLAGS)})
    case $position in
${COMMAND_LIST.map(
  ([name, command]) =>
    `      ('${name}') options=(${described(commandFlags(name))}${command.keys === false ? '' : ' $keys'}) ;;`,
).join('\n')}
      (*) options=(--help --version) ;;
    esac
    _describe -o option options
    return
  fi
  case $position in
${[...nextWords()].map(([at, next]) => `    ('${at}') choices=(${described(next)}) ;;`).join('\n')}
${OPERANDS.map(([name, words]) => `    ('${name}') choices=(${words.join(' ')}) ;;`).join('\n')}
  esac
  (( $#choices )) && _describe command choices
  case $position in
    (${casePattern(operandsBy('file'))}) _files ;;
    (${casePattern(operandsBy('folder'))}) _files -/ ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sql_rest_service "$@"
else
  compdef _sql_rest_service sql-rest-service
fi
`;
}

function described(choices: readonly Choice[]): string {
  return choices
    .map(({ word, meaning }) => `'${word}:${meaning.replaceAll("'", `'\\''`)}'`)
    .join(' ');
}
