/**
 * The log: pino, one JSON object a line, or readable lines on a terminal. Written synchronously to standard output,
 * so that lines of several processes and threads never mix and none is lost when a process ends. The only module that
 * imports pino.
 */
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { LogSettings } from './protocol.js';

export type { Logger };

/** createLogger makes a logger; `fields` stand on each of its lines. */
export function createLogger(
  settings: LogSettings,
  fields: Record<string, string | number>,
): Logger {
  const options = { level: settings.level, base: fields };
  if (settings.pretty)
    return pino(
      options,
      pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }),
    );
  return pino(options, pino.destination({ fd: 1, sync: true }));
}
