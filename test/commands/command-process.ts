/**
 * A process that runs commands for `run` (program.ts), one after the other: a start of the command for each would take ten
 * times as long. Requests come as lines on standard input, and their outcomes go as lines to standard output.
 */
import { chdir, env, stderr, stdin, stdout } from 'node:process';
import readline from 'node:readline';
import { Readable } from 'node:stream';
import { runCommand } from '#app/commands/run.js';

/** One command. */
export interface Request {
  readonly folder: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
}

const requests = readline.createInterface({ input: stdin });
const answer = stdout.write.bind(stdout);

for await (const line of requests) {
  const request = JSON.parse(line) as Request;
  for (const name of Object.keys(env)) Reflect.deleteProperty(env, name);
  Object.assign(env, request.env);
  chdir(request.folder);
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(request.input)]) });
  const written = { stdout: '', stderr: '' };
  stdout.write = (text: string | Uint8Array) => ((written.stdout += text.toString()), true);
  stderr.write = (text: string | Uint8Array) => ((written.stderr += text.toString()), true);
  const code = await runCommand(request.args);
  answer(`${JSON.stringify({ code, ...written })}\n`);
}
