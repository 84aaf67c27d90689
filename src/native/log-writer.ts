/**
 * The log of this process, written to standard output by a thread of its own (native/log_writer.h). All threads share one
 * buffer; lines that do not fit are dropped and counted.
 */
import { addon } from './addon.js';

/** appendLog queues a line, which must end with a newline. It never waits for standard output. */
export const { appendLog } = addon;

/**
 * setLogNotice sets the line that reports how many lines were dropped: `before`, the time, `between`, the count, `after`.
 * The time is milliseconds since 1970, or with `clock` the local time of day.
 */
export const { setLogNotice } = addon;

/** droppedLogLines is how many lines of this process were dropped since it started. */
export const { droppedLogLines } = addon;
