/** The same question to every HTTP process and worker of a service: many at a time, each on a connection of its own. */
import http from 'node:http';
import { until } from './until.js';

/** So many at once that none of a few workers is left out. */
const MANY = 32;

/** ask gives the answers, each status and body once. */
export async function ask(port: number, path: string): Promise<Set<string>> {
  return new Set(await Promise.all(Array.from({ length: MANY }, () => one(port, path))));
}

/** live waits until all answers are the one wanted. */
export async function live(port: number, path: string, wanted: string): Promise<void> {
  await until(async () => {
    const answers = await ask(port, path);
    return answers.size === 1 && answers.has(wanted);
  }, 50);
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
      // One that waits at a socket when its HTTP process goes is reset with it (docs/operations.md).
      .on('error', (error) => resolve(String(error)));
  });
}
