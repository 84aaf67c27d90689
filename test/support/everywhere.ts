/** The same question to every front end and worker of a service: many at a time, each on a connection of its own. */
import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** So many at once that none of a few workers is left out. */
const MANY = 32;

/** ask gives the answers, each status and body once. */
export async function ask(port: number, path: string): Promise<Set<string>> {
  return new Set(await Promise.all(Array.from({ length: MANY }, () => one(port, path))));
}

/** live waits until all answers are the one wanted, and gives how long that took, ms; Infinity after five seconds. */
export async function live(port: number, path: string, wanted: string): Promise<number> {
  const began = performance.now();
  for (;;) {
    const asked = performance.now();
    const answers = await ask(port, path);
    if (answers.size === 1 && answers.has(wanted)) return asked - began;
    if (asked - began > 5_000) {
      return Infinity;
    }
    await sleep(10);
  }
}

function one(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    http
      .get({ port, path, host: '127.0.0.1', agent: false }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => (body += text));
        answer.on('end', () => resolve(`${answer.statusCode} ${body}`));
        answer.on('error', (error) => resolve(String(error)));
      })
      // One that waits at a socket when its front end goes is reset with it (docs/operations.md).
      .on('error', (error) => resolve(String(error)));
  });
}
