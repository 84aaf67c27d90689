/** A supervisor over HTTP processes with settings of the test's own, which need no database. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Service } from '#app/serve/supervisor/supervisor.js';
import {
  httpProcessSettings,
  LIMITS,
  type HttpProcessOverrides,
} from '../../support/http-process.js';
import { ProcessGroup } from '../../support/process-group.js';

/** A grace period (milliseconds) that outlasts a test: without one of its own, a test is not about its end. */
const GRACE = 3_600_000;

const PROGRAM = fileURLToPath(new URL('./fixtures/serve.js', import.meta.url));

export interface ServiceOptions extends HttpProcessOverrides {
  readonly httpProcesses?: number;
}

/** ServiceProcess is the supervisor of one service and what can be seen of it from outside. */
export class ServiceProcess extends ProcessGroup {
  constructor(t: Pick<Test, 'teardown'>, options: ServiceOptions) {
    super(t, (folder) => [PROGRAM, writeConfiguration(folder, options)]);
  }

  /** configure writes what the next reload reads. */
  configure(options: ServiceOptions): void {
    writeConfiguration(this.folder, options);
  }

  /** port waits until the service listens. */
  async port(): Promise<number> {
    return Number(new URL(String((await this.line('listening'))['url'])).port);
  }
}

/** writeConfiguration gives the file of a configuration in a folder. */
export function writeConfiguration(folder: string, options: ServiceOptions): string {
  const file = path.join(folder, 'service.json');
  writeFileSync(file, JSON.stringify(configurationOf(options)));
  return file;
}

/** configurationOf is what a service is to serve. */
export function configurationOf({ httpProcesses = 2, ...overrides }: ServiceOptions): Service {
  const settings = httpProcessSettings({ grace: GRACE, ...overrides });
  return {
    httpProcesses: Array.from({ length: httpProcesses }, (_, index) => ({ ...settings, index })),
    logins: LIMITS,
  };
}

/** startService starts one and waits until it listens. */
export async function startService(
  t: Pick<Test, 'teardown'>,
  options: ServiceOptions = {},
): Promise<{ readonly service: ServiceProcess; readonly port: number }> {
  const service = new ServiceProcess(t, options);
  return { service, port: await service.port() };
}
