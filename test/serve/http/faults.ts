/** An HTTP server in which any call can be made to throw, one request after the other. */
import { register } from 'node:module';
import type net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import type { HttpSettings } from '#app/messages/http-settings.js';
import { sendRaw, type RawAnswer } from '../../support/raw-http.js';

declare global {
  // Called by what fault-hook.ts has inserted.
  var fault: ((site: string) => void) | undefined;
}

/** What a request came to. */
export interface Outcome {
  readonly answer: RawAnswer;
  /** The calls that were reached, or the one that threw. */
  readonly sites: ReadonlySet<string>;
  /** Messages of the log at level `error` or above. */
  readonly errors: readonly string[];
}

export interface Faulty {
  readonly port: number;
  /** send sends a request; `site` throws, once or each time. */
  readonly send: (
    bytes: string | readonly string[],
    site?: string,
    always?: boolean,
  ) => Promise<Outcome>;
}

/** startFaulty starts a server whose worker is scripted-worker.ts. `timers` tells whether calls below timers throw too. */
export async function startFaulty(
  t: Pick<Test, 'teardown'>,
  settings: HttpSettings,
  timers = false,
): Promise<Faulty> {
  register('./fault-hook.js', import.meta.url);
  // Only now: the modules of the server are to be loaded through the hook.
  const { startServer } = await import('./worker-server.js');
  const errors: string[] = [];
  const log = createLogger({ level: 'silent', pretty: false }, {});
  const note = (_fields: object, message: string): void => void errors.push(message);
  Object.assign(log, { error: note, fatal: note });
  const port = await startServer(t, settings, 'scripted-worker.js', log);

  // What happens as a connection begins and ends is no part of a request.
  const ofConnections = new Set<string>();
  globalThis.fault = (site) => ofConnections.add(site);
  await sendRaw(port, '', { wait: 50 });

  const send: Faulty['send'] = async (bytes, armed, always = false) => {
    const sites = new Set<string>();
    errors.length = 0;
    globalThis.fault = (site) => {
      if (ofConnections.has(site)) return;
      if (armed !== undefined && (site !== armed || (sites.has(site) && !always))) return;
      if (!timers && String(new Error().stack).includes('(node:internal/timers')) return;
      sites.add(site);
      if (armed !== undefined) throw new Error(`fault at ${site}`);
    };
    let socket: net.Socket | undefined;
    const answer = await sendRaw(port, bytes, {
      connected: (made) => (socket = made),
      wait: 5_000,
      quiet: 1,
    });
    socket?.destroy();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    globalThis.fault = undefined;
    if (armed === undefined) sites.delete([...sites][0]!); // the call of the dispatcher
    return { answer, sites, errors: [...errors] };
  };
  return { port, send };
}
