/**
 * The log: pino, one JSON object a line, or one readable line each on a terminal (errors have their stack below it). All
 * threads of a process append to one bounded buffer, which a thread of its own writes to standard output, so that neither a
 * slow reader nor a full disk makes a request wait. Lines that do not fit are dropped, and their number is logged.
 */
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { pino, type Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import { appendLog, setLogNotice } from '../native/log-writer.js';
import type { LogSettings } from '../messages/thread-settings.js';
import { oneLine, printable } from '../base/text.js';

export type { Logger };

/** createLogger makes a logger; each of its lines has the `fields`. */
export function createLogger(
  settings: LogSettings,
  fields: Record<string, string | number>,
): Logger {
  const format = settings.pretty ? readableFormat() : String;
  if (isMainThread) describeDropped(settings.pretty, fields);
  return pino(
    { level: settings.level, base: fields },
    { write: (line) => appendLog(format(line)) },
  );
}

const CLOCK = 'SYS:HH:MM:ss.l';

/**
 * readableFormat makes readable lines: fields follow the message, unless that says all of them. Errors that show lines of a
 * script (`source`, in development) have these below, and what is known besides.
 */
function readableFormat(): (line: string) => string {
  const withFields = prettyFormat({ translateTime: CLOCK, singleLine: true });
  const alone = prettyFormat({ translateTime: CLOCK, hideObject: true });
  return (line) => {
    const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const { source } = fields;
    const message = Array.isArray(source) ? placedMessage(fields) : wholeMessage(fields);
    if (message === undefined) return withFields(line);
    const text = alone({ ...fields, msg: printable(oneLine(message)) });
    return Array.isArray(source) ? text + below(fields, source) : text;
  };
}

/** The place and the message of a line with lines of a script: what an editor makes a link of comes first. */
function placedMessage(fields: Readonly<Record<string, unknown>>): string {
  const { position, msg, state, code } = fields as Readonly<Record<string, string | undefined>>;
  const sign = state ?? code;
  return `${position}: ${msg}${sign === undefined ? '' : ` (${sign})`}`;
}

/** Fields that are shown below such a line. */
const FACTS = ['when', 'parameter', 'statement', 'detail', 'hint'];

function below(fields: Readonly<Record<string, unknown>>, source: readonly unknown[]): string {
  const facts = FACTS.filter((name) => fields[name] !== undefined && fields[name] !== 'always');
  const lines = [...source, ...facts.map((name) => `${name}: ${oneLine(String(fields[name]))}`)];
  return lines.map((one) => `    ${printable(String(one))}\n`).join('');
}

/** The message of a line about what is served, or about a request; undefined for all others. */
function wholeMessage(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { served, msg, method, path, status, ms } = fields;
  if (served !== undefined) return String(msg);
  return msg === 'request' ? [method, path, status, ms, 'ms'].join(' ') : undefined;
}

/** prettyFormat loads pino-pretty at its first use: every thread has a log, and few of them write for a terminal. */
function prettyFormat(options: PrettyOptions): (line: string | object) => string {
  const { prettyFactory } = createRequire(import.meta.url)(
    'pino-pretty',
  ) as typeof import('pino-pretty');
  return prettyFactory({ ignore: 'pid,hostname', ...options });
}

/** Placeholders for time and count in the line about dropped lines, which is completed when it is written. */
const TIME = 7_777_777_777_777;
const COUNT = 8_888_888_888_888;

function describeDropped(readable: boolean, fields: Record<string, string | number>): void {
  const message = 'log lines were dropped: standard output took no more';
  const line = { level: 40, time: TIME, ...fields, dropped: COUNT, msg: message };
  const text = readable
    ? prettyFormat({ translateTime: false })(line)
    : `${JSON.stringify(line)}\n`;
  const [before = '', rest = ''] = text.split(String(TIME));
  const [between = '', after = ''] = rest.split(String(COUNT));
  setLogNotice(before, between, after, readable);
}

/** logWarnings logs Node's warnings; Node would write them to standard error, and block where that is not read. */
export function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn(`${name}: ${message}`));
}
