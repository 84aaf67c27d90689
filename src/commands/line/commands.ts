/**
 * The commands: their words, operands and flags, and what they do. The parser of command lines, the help, the completions
 * of shells and the man page are all made from this table.
 */
import { COMMON_FLAGS, type FlagName } from './flags.js';

export interface Command {
  readonly words: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  /** Paragraphs, separated by empty lines. */
  readonly text?: string;
  /** Name of its operand in the help. */
  readonly operand?: string;
  readonly optional?: boolean;
  /** Name of a second operand, which is optional. */
  readonly second?: string;
  /** What the operands name; `commands` are words of other commands, any number of them. */
  readonly names?: 'file' | 'folder' | 'commands';
  readonly choices?: readonly string[];
  /** Its own flags, and what they do. */
  readonly flags?: Partial<Record<FlagName, string>>;
  /** false: it does not accept configuration keys. */
  readonly keys?: false;
  /** Command lines without the program, and what they do. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** When the exit status is 1; undefined when it never is. */
  readonly fails?: string;
}

const SCRIPT = 'Only this script; the name of a file works too';
const PROVE = 'Prove every combination of parameters, however many there are';
const DATABASE = 'Scripts of the database with this alias; otherwise those for all databases';
const NOT_CONNECTED = 'the configuration has errors, or the database refuses or does not answer';

function newPlugin(language: string, name: string): Command {
  return {
    words: ['plugin', 'new', language],
    operand: 'NAME',
    keys: false,
    summary: `Write a folder NAME with a plugin in ${name} to begin with`,
    text: 'The folder must be missing or empty. The command to build the library is printed.',
    examples: [[`plugin new ${language} hello`, 'writes the folder hello']],
    fails: 'the folder has files in it, or no request could name the plugin',
  };
}

export const COMMANDS = {
  serve: {
    words: ['serve'],
    summary: 'Serve until SIGTERM or SIGINT; SIGHUP reads the configuration again',
    text: 'The log on standard output begins with what is served: the configuration, the databases that answer, the scripts and those that cannot be served, and who may run them. The service starts whether or not the databases answer.\n\nThe first SIGTERM or SIGINT finishes the requests in flight, the second one ends them.',
    examples: [
      ['serve', 'serves ./queries, or what ./service.toml says'],
      ['serve --http.port 8080 --log.level debug', 'sets two keys'],
    ],
    fails: 'the configuration has errors, the port is in use, or requests were cut off at the end',
  },
  dev: {
    words: ['dev'],
    summary: 'Serve while scripts are written, for this machine only',
    text: "As serve, but errors show the lines of the script, PostgreSQL's message and what to do, in the response and in the log; scripts are proved as soon as they are saved, and plugins loaded again when they are rebuilt. It refuses to start with an http.host that other machines can reach, and serves no request that names another host than this machine.",
    examples: [
      ['dev', 'serves ./queries at http://127.0.0.1:3000, where the page is'],
      ['dev --queries.location sql --http.port 3001', 'sets two keys'],
    ],
    fails: 'the configuration has errors, the port is in use, or other machines could reach it',
  },
  top: {
    words: ['top'],
    summary: 'Show what a running service does: scripts, databases, processes, once a second',
    text: 'It reads the metrics of the service at metrics.listen, with metrics.token. The first frame has everything since the start of the service, each further one what was counted in between.\n\nOn a terminal q and Ctrl-C quit, and s orders the scripts by another column. Elsewhere frames are printed one after the other.',
    flags: {
      json: 'Print each frame as a line of JSON; times are in seconds, sizes in bytes',
      once: 'Print one frame, of one second, and exit',
      url: 'Read the metrics at this URL; otherwise at metrics.listen',
    },
    examples: [
      ['top', 'shows the service of ./service.toml'],
      ['top --url http://127.0.0.1:9187/metrics --once --json', 'prints a second of it as JSON'],
    ],
    fails: 'the configuration has errors, or there are no metrics to begin with',
  },
  check: {
    words: ['check'],
    summary: 'Check the configuration, databases, scripts and plugins, and who may run what',
    text: 'Proves that PostgreSQL can parse every branch of every script, without running anything. Plugins are loaded, each in a process of its own. Nothing is changed.',
    flags: {
      against: 'Prove the scripts on this database; also the name of a variable that has the URL',
      json: 'Print the report as JSON',
      'no-prove': 'Do not ask the database about the scripts',
      privileges:
        'Also find missing privileges; this makes temporary functions, which are rolled back',
      prove: PROVE,
      script: `${SCRIPT}. Its parameters and columns are printed`,
    },
    examples: [
      ['check', 'checks everything'],
      ['check --script products/list', 'shows what a script takes and gives'],
    ],
    fails: 'there is an error, whatever it is about; warnings do not count',
  },
  contract: {
    words: ['contract'],
    summary: 'Write what every script takes and gives as JSON, for version control',
    flags: {
      out: 'Write to this file instead of standard output, the whole of it or nothing',
      prove: PROVE,
      script: SCRIPT,
    },
    examples: [['contract --out contract.json', 'writes the contract of all scripts']],
    fails: 'a script is broken, or a database does not answer; nothing is written then',
  },
  'contract diff': {
    words: ['contract', 'diff'],
    operand: 'OLD',
    second: 'NEW',
    names: 'file',
    summary: 'Show what changed between two contracts, or since OLD, and what breaks callers',
    text: 'OLD is a file that `contract` has written, or - for standard input. Without NEW it is compared with the scripts as they are now.',
    flags: {
      breaking: 'Exit status 1 when a change breaks callers',
      json: 'Print the changes as JSON',
      prove: PROVE,
      script: SCRIPT,
    },
    examples: [
      ['contract diff contract.json --breaking', 'fails in CI when callers would break'],
      ['contract diff old.json new.json', 'compares two files, without a database'],
    ],
    fails: 'a file or a script cannot be used, or with --breaking when a change breaks callers',
  },
  'client typescript': {
    words: ['client', 'typescript'],
    summary: 'Write a client in TypeScript for the scripts of the default database',
    text: 'It is made of the scripts and their proof, or of the openapi.json of a service.',
    flags: {
      from: 'Make it of this openapi.json: a file, a URL, or - for standard input',
      out: 'Write to this file instead of standard output, the whole of it or nothing',
      prove: PROVE,
    },
    examples: [
      ['client typescript --out api.ts', 'writes the client of all scripts'],
      [
        'client typescript --from http://127.0.0.1:3000/_QUERIES/openapi.json --out api.ts',
        'writes the client of a running service',
      ],
    ],
    fails: 'a script is broken, or a database does not answer; nothing is written then',
  },
  'migrate up auth': {
    words: ['migrate', 'up', 'auth'],
    summary: 'Make the users table, unless it is there',
    examples: [['migrate up auth', 'makes the table that auth.table names']],
    fails: NOT_CONNECTED,
  },
  'migrate down auth': {
    words: ['migrate', 'down', 'auth'],
    summary: 'Drop the users table',
    flags: { yes: 'Drop it also when there are users in it' },
    examples: [['migrate down auth --yes', 'drops the table with its users']],
    fails: `there are users and no --yes, ${NOT_CONNECTED}`,
  },
  'migrate up queries': {
    words: ['migrate', 'up', 'queries'],
    summary: 'Make the scripts table and its history, as far as they are not there',
    examples: [['migrate up queries', 'makes the table that queries.table names']],
    fails: NOT_CONNECTED,
  },
  'migrate down queries': {
    words: ['migrate', 'down', 'queries'],
    summary: 'Drop the scripts table and its history',
    flags: { yes: 'Drop them also when there are scripts in the table' },
    examples: [['migrate down queries', 'drops an empty table']],
    fails: `there are scripts and no --yes, ${NOT_CONNECTED}`,
  },
  'migrate from-prest': {
    words: ['migrate', 'from-prest'],
    summary: 'Convert the configuration and the tables of pREST 2.4.2',
    text: 'Writes service.toml beside the prest.toml, and lists what has to be decided. What it would do is shown by --dry-run.',
    flags: {
      from: 'The prest.toml; otherwise the file of PREST_CONF, otherwise ./prest.toml',
      tables: 'adopt (default) uses the tables of pREST, copy copies their rows into new ones',
      'dry-run': 'Change nothing, and say what would be done',
      yes: 'Write over a service.toml that differs',
      json: 'Print the outcome as JSON',
    },
    keys: false,
    examples: [['migrate from-prest --dry-run', 'shows every difference']],
    fails: 'something has to be put right first',
  },
  'scripts export': {
    words: ['scripts', 'export'],
    operand: 'FOLDER',
    optional: true,
    names: 'folder',
    summary: 'Write the scripts of the table as files',
    text: 'Without FOLDER they are written to queries.location.',
    flags: {
      database: DATABASE,
      'dry-run': 'Change nothing, and say what would be written',
      yes: 'Write over files that differ',
    },
    examples: [['scripts export backup', 'writes the files to the folder backup']],
    fails: `a file differs and no --yes, ${NOT_CONNECTED}`,
  },
  'scripts import': {
    words: ['scripts', 'import'],
    operand: 'FOLDER',
    optional: true,
    names: 'folder',
    summary: 'Write the scripts of a folder into the table',
    text: 'Without FOLDER they are read from queries.location.',
    flags: {
      database: DATABASE,
      'dry-run': 'Change nothing, and say what would be written',
      json: 'Print the outcome as JSON',
      policy: 'What to do with a script that is there with another text: skip, update or error; otherwise queries.import_policy', // prettier-ignore
    },
    examples: [['scripts import --dry-run', 'shows what would be imported']],
    fails: `a script cannot be imported, ${NOT_CONNECTED}`,
  },
  'scripts diff': {
    words: ['scripts', 'diff'],
    operand: 'FOLDER',
    optional: true,
    names: 'folder',
    summary: 'Show what an import would change',
    text: 'Without FOLDER the scripts of queries.location are compared.',
    flags: { database: DATABASE, json: 'Print the differences as JSON' },
    examples: [['scripts diff', 'prints a unified diff']],
    fails: `there are differences, ${NOT_CONNECTED}`,
  },
  'plugin new c': newPlugin('c', 'C'),
  'plugin new cpp': newPlugin('cpp', 'C++'),
  'plugin new go': newPlugin('go', 'Go'),
  'plugin new rust': newPlugin('rust', 'Rust'),
  'plugin check': {
    words: ['plugin', 'check'],
    operand: 'FILE',
    names: 'file',
    flags: { json: 'Print the finding as JSON' },
    keys: false,
    summary: 'Load a plugin, and list the requests it answers',
    text: 'The library is loaded in a process of its own, which runs its code.',
    examples: [['plugin check hello/hello.so', 'lists its handlers']],
    fails: 'the library cannot be served',
  },
  'plugin header': {
    words: ['plugin', 'header'],
    keys: false,
    summary: 'Print the path of service_plugin.h',
    examples: [['plugin header', 'prints the path, for a compiler']],
  },
  'user add': {
    words: ['user', 'add'],
    operand: 'NAME',
    flags: { name: 'Full name of the user', metadata: 'Metadata of the user, part of each token' },
    summary: 'Add a user; the password is asked for, or read from standard input',
    examples: [
      ['user add ann', 'asks for the password, twice'],
      ['user add ann --name "Ann Lee" <password.txt', 'reads its first line'],
    ],
    fails: `the user exists, the password is refused, ${NOT_CONNECTED}`,
  },
  'user passwd': {
    words: ['user', 'passwd'],
    operand: 'NAME',
    summary: 'Give a user another password, asked for or read from standard input',
    examples: [['user passwd ann', 'asks for the password, twice']],
    fails: `there is no such user, the password is refused, ${NOT_CONNECTED}`,
  },
  'user list': {
    words: ['user', 'list'],
    flags: { json: 'Print the users as JSON' },
    summary: 'List the users',
    examples: [['user list', 'prints id, user name and full name']],
    fails: NOT_CONNECTED,
  },
  'user remove': {
    words: ['user', 'remove'],
    operand: 'NAME',
    summary: 'Remove a user',
    text: 'Tokens that were issued before stay valid until they expire.',
    examples: [['user remove ann', 'removes the user ann']],
    fails: `there is no such user, ${NOT_CONNECTED}`,
  },
  completion: {
    words: ['completion'],
    operand: 'SHELL',
    choices: ['bash', 'zsh', 'fish'],
    keys: false,
    summary: 'Print the completions for a shell: bash, zsh or fish',
    text: 'bash: source <(sql-rest-service completion bash)\nzsh: source <(sql-rest-service completion zsh), after compinit\nfish: sql-rest-service completion fish | source',
    examples: [
      [
        'completion bash >~/.local/share/bash-completion/completions/sql-rest-service',
        'keeps them',
      ],
    ],
  },
  help: {
    words: ['help'],
    operand: 'COMMAND',
    optional: true,
    names: 'commands',
    keys: false,
    summary: 'Print the help of a command',
    examples: [['help user add', 'is the same as user add --help']],
  },
  version: {
    words: ['version'],
    keys: false,
    summary: 'Print the version',
    examples: [['version', 'prints the version']],
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

/** All commands in the order of the help. */
export const COMMAND_LIST: readonly (readonly [CommandName, Command])[] = Object.entries(
  COMMANDS,
) as (readonly [CommandName, Command])[];

/** commandOf gives a command by its words. */
export function commandOf(name: CommandName): Command {
  return COMMANDS[name];
}

export function flagsOf(command: Command): readonly (readonly [FlagName, string])[] {
  const { config, ...rest } = COMMON_FLAGS;
  const common = command.keys === false ? rest : { config, ...rest };
  return Object.entries({ ...command.flags, ...common }) as (readonly [FlagName, string])[];
}

/** synopsisOf gives the words of a command and its operands: `scripts export [FOLDER]`. */
export function synopsisOf({ words, operand, optional, second }: Command): string {
  const operands = [
    ...(operand === undefined ? [] : [optional === true ? `[${operand}]` : operand]),
    ...(second === undefined ? [] : [`[${second}]`]),
  ];
  return [...words, ...operands].join(' ');
}
