/**
 * Imported in every process and thread of a profiled service: takes a CPU profile of its thread while the file `go` exists
 * in the folder BENCH_PROFILE. The content of the file is the prefix of the profile's name.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

const folder = process.env['BENCH_PROFILE'];
const POLL = 50;
/** Sampling interval, in microseconds. */
const SAMPLING_INTERVAL = 250;

if (folder !== undefined) {
  const go = path.join(folder, 'go');
  let session: Session | undefined;
  let name = '';
  const poll = async (): Promise<void> => {
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
  // An error ends the process, because a profile must not be missing silently.
  setInterval(() => void poll(), POLL).unref();
}
