/**
 * Starts a server of the benchmark in its own process, waits for its first response, and stops it. Rejects with the end of
 * its log when it exits early or does not respond in time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tied } from './load/program.js';

/** The command of a server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Authorization header of its requests, if needed. */
  readonly authorization?: string | undefined;
  /** The body of all its responses, parsed, if it responds to all requests alike. */
  readonly answer?: unknown;
}

export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly authorization: string | undefined;
  readonly answer?: unknown;
  /** Milliseconds from the start of the process to the first response with a row from PostgreSQL. */
  readonly startup: number;
  stop(): Promise<void>;
}

/** A server as the target of a request. */
export type Address = Pick<Server, 'port' | 'authorization' | 'answer'>;

const START_LIMIT = 20_000;
const STOP_LIMIT = 10_000;

/** startServer starts a server on a free port; the first response is to a GET of `path`. */
export async function startServer(
  launch: (port: number) => Launch,
  path: string,
  logFile: string,
): Promise<Server> {
  const port = await freePort();
  // Node loads its HTTP client on first use, which must not count as the server's time.
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

/** statusOf resolves to the status of a GET, 0 without a response. */
export async function statusOf(server: Address, path: string): Promise<number> {
  try {
    const response = await send(server, path);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** send sends one request to a server. */
export function send(
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
