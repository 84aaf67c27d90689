/** Measures the service in several layouts, in alternating rounds, so that changes on the machine affect all alike. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { CASES } from '../cases.js';
import type { Layout } from '../contestants.js';
import { startDatabase, type Database } from '../database.js';
import { generator } from '../load/load.js';
import { keptFolder } from '../project.js';
import { startService, takeSample, warmUp, type Service } from './measure.js';
import type { Sample } from './sample.js';

export interface Plan {
  readonly layouts: readonly Layout[];
  /** Names of cases. */
  readonly cases: readonly string[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Connections of each service to PostgreSQL. */
  readonly pool: number;
}

/**
 * takeMeasurements resolves to all samples. Rejects when the process is told to end, and without wrk: the costs of
 * autocannon, in this process, are not known.
 */
export async function takeMeasurements(plan: Plan, say: (line: string) => void): Promise<Sample[]> {
  if (generator !== 'wrk') throw new Error('wrk, which makes the load, is not installed');
  const folder = keptFolder(`model-${process.pid}`);
  say('starting PostgreSQL and loading the data');
  const database = await startDatabase(say);
  const services: Service[] = [];
  try {
    return await Promise.race([measure(plan, database, services, folder, say), interruption()]);
  } finally {
    await Promise.allSettled(services.map(({ server }) => server.stop()));
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** measure adds each service that it starts to `services`. */
async function measure(
  plan: Plan,
  database: Database,
  services: Service[],
  folder: string,
  say: (line: string) => void,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const { seconds } = plan;
  const scratch = path.join(folder, 'requests');
  let seed = 0;
  for (const layout of plan.layouts) {
    services.push(await startService(database, layout, plan.pool, folder));
  }
  for (const name of plan.cases) {
    const subject = CASES.find((candidate) => candidate.name === name)!;
    for (const service of services) {
      await warmUp(service, { subject, connections: 32, seconds, seed, scratch });
    }
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const connections of plan.connections) {
        for (let turn = 0; turn < services.length; turn += 1) {
          const service = services[(round + turn) % services.length]!;
          const { processes, threads } = service.layout;
          say(`${name}, round ${round + 1}, ${connections} connections, ${processes}x${threads}`);
          seed += 1;
          const setting = { subject, connections, seconds, seed, scratch };
          samples.push(await takeSample(service, database, setting));
        }
      }
    }
  }
  return samples;
}

/** interruption rejects when the process is told to end, so that nothing that was started remains. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
    }
  });
}
