/**
 * Runs a long step of the setup: prints its title and its duration, and the end of its output when it fails. Runs before
 * node_modules exists.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const TAIL = 40;
const PROGRESS = 10_000;

/** A failure whose message is enough for the user, without a stack trace. */
export class SetupError extends Error {
  name = 'SetupError';
}

/** say prints a line about the setup. */
export function say(line) {
  console.log(`[setup] ${line}`);
}

/** step runs a program; throws SetupError with the end of its output when it fails. */
export async function step(title, program, args, options = {}) {
  say(`${title} ...`);
  const begin = Date.now();
  const seconds = () => `${Math.round((Date.now() - begin) / 1000)} s`;
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.once('exit', end);
  const lines = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop();
      lines.push(...parts);
      lines.splice(0, lines.length - TAIL);
    });
    stream.on('end', () => rest && lines.push(rest));
  }
  const progress = setInterval(() => say(`  still busy after ${seconds()}`), PROGRESS);
  try {
    const [code, signal] = await once(child, 'close');
    if (code === 0) return say(`  done in ${seconds()}`);
    throw new SetupError(
      `${lines.join('\n')}\n\n${title}: failed (${signal ?? `exit status ${code}`}) after ${seconds()}`,
    );
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`${title}: ${error.message}`);
  } finally {
    clearInterval(progress);
    process.off('exit', end);
  }
}
