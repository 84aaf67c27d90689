/**
 * How many connections of clients an HTTP process may have: what its limit of descriptors leaves after all else that it
 * opens. Node has raised the limit to what the system allows (RLIMIT_NOFILE).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { allServers } from '../../../messages/database-settings.js';
import type { HttpSettings } from '../../../messages/http-settings.js';

/** For files that are read, the channel of a plugin host, the processes before and after a reload. */
const SPARE = 64;

/** mostConnections is at least a quarter of the limit; Infinity without a limit, or if it is unknown. */
export function mostConnections({ worker, threads }: HttpSettings): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
    let others = readdirSync('/proc/self/fd').length + SPARE;
    for (const { connections } of allServers(worker)) others += connections * threads;
    return Math.max(limit - others, limit / 4);
  } catch {
    return Infinity;
  }
}
