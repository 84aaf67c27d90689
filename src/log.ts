/**
 * The log: pino, one JSON object a line, or one readable line each on a terminal (errors have their stack below it). All
 * threads of a process append to one bounded buffer, which a thread of its own writes to standard output, so that neither a
 * slow reader nor a full disk makes a request wait. Lines that do not fit are dropped, and their number is logged.
 */
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { pino, type Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import { appendLog, setLogNotice } from './native/log-writer.js';
import type { LogSettings } from './settings.js';
import { printable } from './text.js';

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

/** readableFormat makes readable lines: fields follow the message, unless that says all of them. */
function readableFormat(): (line: string) => string {
  const withFields = prettyFormat({ translateTime: CLOCK, singleLine: true });
  const alone = prettyFormat({ translateTime: CLOCK, hideObject: true });
  return (line) => {
    const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const message = wholeMessage(fields);
    return message === undefined ? withFields(line) : alone({ ...fields, msg: printable(message) });
  };
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
