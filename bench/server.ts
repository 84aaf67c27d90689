/**
 * Starts a server of the benchmark in a process of its own, waits until it answers, and stops it. Rejects with the end
 * of its log when it ends early or does not answer in time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tied } from './load/program.js';

/** How a server is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The value of an Authorization header that its requests need. */
  readonly authorization?: string | undefined;
  /** The one body, parsed, that it answers everything with, if it is a server that does. */
  readonly answer?: unknown;
}

export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly authorization: string | undefined;
  readonly answer?: unknown;
  /** Milliseconds from the start of the process to its first answer, a row from PostgreSQL. */
  readonly startup: number;
  stop(): Promise<void>;
}

/** Where to ask, and with what. */
export type Address = Pick<Server, 'port' | 'authorization' | 'answer'>;

const START_LIMIT = 20_000;
const STOP_LIMIT = 10_000;

/** startServer starts what `launch` says for a free port; the first answer is to a GET of `path`. */
export async function startServer(
  launch: (port: number) => Launch,
  path: string,
  logFile: string,
): Promise<Server> {
  const port = await freePort();
  // Node loads its client at the first use, which is not the server's time.
  await fetch('data:,');
  const { command, args, env, cwd, authorization, answer } = launch(port);
  const log = openSync(logFile, 'w');
  const started = performance.now();
  const child = spawn(...tied(command, args), { env, cwd, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = new Promise<Error | undefined>((resolve) => {
    child.on('error', resolve);
    child.on('exit', () => resolve(undefined));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
    await exited;
    clearTimeout(limit);
  };
  while ((await statusOf({ port, authorization }, path)) !== 200) {
    const ended = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    if (!ended && performance.now() - started < START_LIMIT) {
      await sleep(5);
      continue;
    }
    await stop();
    const reason = (await exited)?.message ?? readFileSync(logFile, 'utf8').slice(-1500);
    throw new Error(`${command} ${args.join(' ')} did not answer: ${reason}`);
  }
  const startup = performance.now() - started;
  return { port, pid: child.pid!, authorization, answer, startup, stop };
}

/** statusOf is the status that a GET is answered with, 0 when there is no answer. */
export async function statusOf(server: Address, path: string): Promise<number> {
  try {
    const response = await ask(server, path);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** ask sends one request to a server. */
export function ask(
  { port, authorization }: Address,
  path: string,
  method = 'GET',
  body?: string,
): Promise<Response> {
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: body ?? null });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
