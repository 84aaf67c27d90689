/** The completions for bash. */
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

/** bashCompletion gives a script to be sourced. */
export function bashCompletion(): string {
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
      ${casePattern(POSITIONS)}) position="\${position:+$position }$word" ;;
    esac
  done
  case \${COMP_WORDS[COMP_CWORD - 1]} in
    ${FILE_FLAGS.join('|')}) kind=file ;;
${WORD_FLAGS.map(({ flag, words }) => `    ${flag}) choices='${words.join(' ')}' kind=value ;;`).join('\n')}
    ${TEXT_FLAGS.join('|')}) return ;;
  esac
  if [[ -z $kind ]]; then
    case $position in
${[...nextWords()].map(([at, next]) => `      '${at}') choices='${joined(next)}' ;;`).join('\n')}
${OPERANDS.map(([name, words]) => `      '${name}') choices='${words.join(' ')}' ;;`).join('\n')}
    esac
    case $position in
      ${casePattern(operandsBy('file'))}) kind=file ;;
      ${casePattern(operandsBy('folder'))}) kind=folder ;;
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
