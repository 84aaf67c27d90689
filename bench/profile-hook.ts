/**
 * Loaded first in every process and thread of a service that is profiled: keeps a CPU profile of its own thread for as
 * long as the file `go` is in the folder BENCH_PROFILE names. What the file holds begins the profile's name.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

const folder = process.env['BENCH_PROFILE'];
const POLL = 50;
/** Microseconds between two looks at the stack. */
const SAMPLING_INTERVAL = 250;

if (folder !== undefined) {
  const go = path.join(folder, 'go');
  let session: Session | undefined;
  let name = '';
  const look = async (): Promise<void> => {
    if (existsSync(go) && !session) {
      name = readFileSync(go, 'utf8');
      session = new Session();
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
      await session.post('Profiler.start');
    } else if (!existsSync(go) && session) {
      const finished = session;
      session = undefined;
      const { profile } = await finished.post('Profiler.stop');
      finished.disconnect();
      const thread = isMainThread ? 'main' : `thread${threadId}`;
      const file = `${name}-${process.pid}-${thread}.cpuprofile`;
      writeFileSync(path.join(folder, file), JSON.stringify(profile));
    }
  };
  // A look that fails ends the process: a profile that is silently missing is worth less.
  setInterval(() => void look(), POLL).unref();
}
