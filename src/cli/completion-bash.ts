/** The completions for bash. */
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
  type Choice,
} from './completion-data.js';

/** bashCompletion gives a script to be sourced. */
export function bashCompletion(): string {
  const files = VALUED.filter(({ isFile }) => isFile).map(({ flag }) => flag);
  const chosen = VALUED.filter(({ words }) => words.length > 0);
  const free = VALUED.filter(({ words, isFile }) => words.length === 0 && !isFile);
  return `# Completions of sql-rest-service for bash, printed by: sql-rest-service completion bash
_sql_rest_service() {
  local current=\${COMP_WORDS[COMP_CWORD]} position= choices= flags= kind= word i
  local keys='${joined(KEY_FLAGS)}'
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --*=*) continue ;;
      ${WITH_VALUE.join('|')}) ((i++)); continue ;;
      -*) continue ;;
      help) [[ -z $position ]] && continue ;;
    esac
    case "\${position:+$position }$word" in
      ${quoted(POSITIONS)}) position="\${position:+$position }$word" ;;
    esac
  done
  case \${COMP_WORDS[COMP_CWORD - 1]} in
    ${files.join('|')}) kind=file ;;
${chosen.map(({ flag, words }) => `    ${flag}) choices='${words.join(' ')}' kind=value ;;`).join('\n')}
    ${free.map(({ flag }) => flag).join('|')}) return ;;
  esac
  if [[ -z $kind ]]; then
    case $position in
${[...nextWords()].map(([at, next]) => `      '${at}') choices='${joined(next)}' ;;`).join('\n')}
${OPERANDS.map(([name, words]) => `      '${name}') choices='${words.join(' ')}' ;;`).join('\n')}
    esac
    case $position in
      ${quoted(operandsBy('file'))}) kind=file ;;
      ${quoted(operandsBy('folder'))}) kind=folder ;;
    esac
    case $position in
${COMMAND_LIST.map(
  ([name, { keys }]) =>
    `      '${name}') flags="${joined(commandFlags(name))}${keys === false ? '' : ' $keys'}" ;;`,
).join('\n')}
      *) flags='--help --version' ;;
    esac
    [[ $current == -* ]] && choices=$flags kind=value
  fi
  case $kind in
    file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
  local -a more
  mapfile -t more < <(compgen -W "$choices" -- "$current")
  COMPREPLY+=("\${more[@]}")
}
complete -F _sql_rest_service sql-rest-service
`;
}

function joined(choices: readonly Choice[]): string {
  return choices.map(({ word }) => word).join(' ');
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join('|');
}
