/** The man page sql-rest-service(1), made from the table of commands; `npm run docs:man` writes it to packaging/. */
import { COMMAND_LIST, flagsOf, synopsisOf, type Command } from './commands.js';
import { EXIT_STATUS, flagForm, KEY_SOURCES, KEY_TEXT, PROGRAM, PURPOSE } from './help.js';

export function manPage(): string {
  return `${[
    `.TH SQL-REST-SERVICE 1`,
    '.SH NAME',
    `${plain(PROGRAM)} \\- SQL templates as an HTTP API for PostgreSQL`,
    '.SH SYNOPSIS',
    `.B ${plain(PROGRAM)}`,
    '.I COMMAND',
    '[\\fIFLAGS\\fR]',
    '.SH DESCRIPTION',
    plain(PURPOSE),
    '.PP',
    plain(KEY_SOURCES),
    '.SH COMMANDS',
    ...COMMAND_LIST.flatMap(([, command]) => section(command)),
    '.SH EXIT STATUS',
    plain(EXIT_STATUS),
    '.SH ENVIRONMENT',
    ...VARIABLES.flatMap(([name, text]) => item(name, text)),
    '.SH FILES',
    ...item('./service.toml', 'The configuration, unless --config or SERVICE_CONF names another.'),
    ...item('./queries', 'The folder of scripts, unless queries.location names another.'),
  ].join('\n')}\n`;
}

const VARIABLES: readonly (readonly [string, string])[] = [
  ['SERVICE_CONF', 'The configuration file.'],
  ['SERVICE_*', 'Configuration keys: SERVICE_HTTP_PORT is http.port, SERVICE_PG_PASS is pg.pass.'],
  ['DATABASE_URL', 'The URL of the default database.'],
  ['PORT', 'The port to listen on.'],
];

function section(command: Command): string[] {
  const { summary, text, keys, examples, fails } = command;
  const paragraphs = text?.split(/\n+/).flatMap((one) => ['.PP', plain(one)]) ?? [];
  return [
    `.SS ${plain(synopsisOf(command))}`,
    `${plain(summary)}.`,
    ...paragraphs,
    ...flagsOf(command).flatMap(([name, meaning]) => item(flagForm(name), meaning)),
    ...(keys === false ? [] : item('--KEY VALUE', KEY_TEXT)),
    ...(fails === undefined ? [] : ['.PP', plain(`Exit status 1 when ${fails}.`)]),
    '.PP',
    '.nf',
    ...examples.map(([line, what]) => `  ${plain(`${PROGRAM} ${line}`)}  # ${plain(what)}`),
    '.fi',
  ];
}

function item(term: string, text: string): string[] {
  return ['.TP', `.B ${plain(term)}`, plain(text)];
}

/** Escapes backslashes and hyphens, and a dot or quote that would begin a request. */
function plain(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq');
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}
