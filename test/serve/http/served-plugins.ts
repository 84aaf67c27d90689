/** An HTTP process with plugins, and requests to them as bytes. Its database is away: plugins need none. */
import path from 'node:path';
import type { Test } from 'tap';
import type { HttpProcessHandle } from '#app/serve/supervisor/http-process-handle.js';
import type { PluginSettings } from '#app/messages/http-settings.js';
import {
  httpProcessSettings,
  startHttpProcess,
  type HttpProcessOverrides,
} from '../../support/http-process.js';
import { PluginFolder } from '../../support/plugin-folder.js';
import { requestBytes, sendRaw, type RawAnswer } from '../../support/raw-http.js';

/** probeFolder is a folder with the plugin `probe`: test/serve/http/plugins/probe.c. */
export function probeFolder(t: Pick<Test, 'teardown'>): PluginFolder {
  const folder = new PluginFolder(t);
  folder.compile('probe', path.join(process.cwd(), 'test/serve/http/plugins', 'probe.c'));
  return folder;
}

export type PluginOverrides = Omit<HttpProcessOverrides, 'plugins'> & {
  readonly plugins?: Partial<PluginSettings>;
};

export interface ServedPlugins {
  readonly port: number;
  readonly process: HttpProcessHandle;
  /** Sends a request, `METHOD target`, the target below `/_PLUGIN/` unless it begins with a slash. */
  readonly send: (
    request: string,
    headers?: readonly string[],
    body?: string | readonly string[],
  ) => Promise<RawAnswer>;
}

/** servePlugins serves those of a folder. */
export async function servePlugins(
  t: Pick<Test, 'teardown'>,
  folder: PluginFolder,
  { plugins, ...overrides }: PluginOverrides = {},
): Promise<ServedPlugins> {
  const settings = { ...httpProcessSettings().plugins, path: folder.path, ...plugins };
  const { port, process } = await startHttpProcess(t, { ...overrides, plugins: settings });
  const send: ServedPlugins['send'] = (request, headers = [], body = []) => {
    const [method = '', target = ''] = request.split(' ');
    const full = target.startsWith('/') ? target : `/_PLUGIN/${target}`;
    const parts = typeof body === 'string' ? [body] : body;
    return sendRaw(port, [requestBytes(method, full, ['Connection: close', ...headers]), ...parts]);
  };
  return { port, process, send };
}

/** errorOf is a response's status and code, and its message after a colon where there is one. */
export function errorOf({ status, body }: RawAnswer): string {
  if (!body.startsWith('{"error"')) return String(status);
  const { error, code } = JSON.parse(body) as { error: string; code: string };
  return `${status} ${code}: ${error}`;
}
