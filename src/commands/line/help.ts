/** The texts of `--help` and `help`: of the program, of one command, and of commands with the same first words. */
import {
  COMMAND_LIST,
  COMMANDS,
  flagsOf,
  synopsisOf,
  type Command,
  type CommandName,
} from './commands.js';
import { flagOf, type FlagName } from './flags.js';

export const PROGRAM = 'sql-rest-service';
export const PURPOSE =
  'Turns SQL templates, of a folder or a table, into an HTTP API for PostgreSQL.';

/** What the documentation of every command says about configuration keys. */
export const KEY_TEXT = 'Set a configuration key that is not a secret, such as --http.port 8080';
export const KEY_SOURCES =
  'Keys can also be set in the file and in the environment (SERVICE_HTTP_PORT, DATABASE_URL, PORT); docs/configuration.md lists them.';
export const EXIT_STATUS =
  '0 when all is well, 1 when something is wrong, 2 for a bad command line.';

/** helpText gives the help of a command, or of those that begin with `words`; of the program when that is empty. */
export function helpText(words: string): string {
  if (Object.hasOwn(COMMANDS, words)) return commandHelp(COMMANDS[words as CommandName]);
  return words === '' ? programHelp() : groupHelp(words);
}

function programHelp(): string {
  return [
    PURPOSE,
    `Usage: ${PROGRAM} COMMAND [FLAGS]`,
    `Commands:\n${commandRows(COMMAND_LIST.map(([, command]) => command))}`,
    `Flags of every command:\n${rows([
      ['--config FILE', 'Read this configuration file'],
      ['--KEY VALUE', KEY_TEXT],
      ['--help, -h', 'Print the help of the command'],
      ['--version, -v', 'Print the version'],
    ])}`,
    wrapped(KEY_SOURCES),
    `${wrapped(`${PROGRAM} help COMMAND shows the flags of a command, with examples.`)}\nExit status: ${EXIT_STATUS}`,
  ]
    .join('\n\n')
    .concat('\n');
}

function groupHelp(words: string): string {
  const below = COMMAND_LIST.filter(([name]) => name.startsWith(`${words} `));
  return [
    `Usage: ${PROGRAM} ${words} COMMAND [FLAGS]`,
    `Commands:\n${commandRows(below.map(([, command]) => command))}`,
    `${PROGRAM} help ${below[0]![0]} shows the flags of that command, and so on.\n`,
  ].join('\n\n');
}

function commandHelp(command: Command): string {
  const flags: (readonly [string, string])[] = flagsOf(command).map(([name, text]) => [
    flagForm(name),
    text,
  ]);
  if (command.keys !== false) flags.push(['--KEY VALUE', KEY_TEXT]);
  const width = Math.max(...command.examples.map(([line]) => line.length));
  const examples = command.examples.map(
    ([line, what]) => `  ${PROGRAM} ${line.padEnd(width)}  # ${what}`,
  );
  return [
    `Usage: ${PROGRAM} ${synopsisOf(command)} [FLAGS]`,
    wrapped(`${command.summary}.`),
    ...(command.text === undefined
      ? []
      : [
          command.text
            .split('\n')
            .map((one) => wrapped(one))
            .join('\n'),
        ]),
    `Flags:\n${rows(flags)}`,
    ...(command.keys === false ? [] : [wrapped(KEY_SOURCES)]),
    `${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.join('\n')}`,
    `${wrapped(`Exit status: 0 when all is well;${fails(command)} 2 for a bad command line.`)}\n`,
  ].join('\n\n');
}

function fails({ fails: when }: Command): string {
  return when === undefined ? '' : ` 1 when ${when};`;
}

function commandRows(commands: readonly Command[]): string {
  return rows(commands.map((command) => [synopsisOf(command), command.summary]));
}

/** flagForm gives a flag as the help shows it: `--config FILE`, `--help, -h`. */
export function flagForm(name: FlagName): string {
  const { value, letters = [] } = flagOf(name);
  const forms = [`--${name}`, ...letters.map((letter) => `-${letter}`)].join(', ');
  return value === undefined ? forms : `${forms} ${value}`;
}

/** Column of the second part of a row. */
const COLUMN = 28;

function rows(list: readonly (readonly [string, string])[]): string {
  return list
    .map(([first, second]) => {
      const text = wrapped(second, COLUMN);
      const gap = first.length + 3 > COLUMN ? `\n${' '.repeat(COLUMN)}` : ' '.repeat(COLUMN - 2 - first.length); // prettier-ignore
      return `  ${first}${gap}${text}`;
    })
    .join('\n');
}

/** Most characters of a line. */
const WIDTH = 96;

/** Breaks a text at spaces; further lines begin in `column`, where the first one stands already. */
function wrapped(text: string, column = 0): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && column + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(column)}`);
}
