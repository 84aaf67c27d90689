/** Debian's Prometheus, with a configuration, and its HTTP API. It ends with the test, or with its process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '#scripts/free-port.mjs';
import { spawnGroup, type TestEnd } from './spawn-group.js';
import { until } from './until.js';

/** A sample of an instant vector. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** Time, s, and the value as text. */
  readonly value: readonly [time: number, value: string];
}

export class Prometheus {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** start resolves once it responds. `configuration` is written as JSON, which is YAML too. Throws Error when it ends. */
  static async start(t: TestEnd, configuration: object): Promise<Prometheus> {
    const folder = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
    const file = path.join(folder, 'prometheus.yml');
    writeFileSync(file, JSON.stringify(configuration));
    const address = `127.0.0.1:${await freePort()}`;
    const program = [
      'prometheus',
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ];
    const child = spawnGroup(t, program, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (log += text));
    const closed = once(child, 'close');
    t.teardown(async () => {
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true });
    });
    const prometheus = new Prometheus(`http://${address}`);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${log}`);
      return fetch(`http://${address}/-/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    return prometheus;
  }

  /** get is `data` of a response of the API; throws Error with its message when the request fails. */
  async get<Data>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Data> {
    const query = new URLSearchParams(parameters);
    const response = await fetch(`${this.#url}/api/v1/${path}?${query.toString()}`);
    const { status, error, data } = (await response.json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data: Data;
    };
    if (status !== 'success') throw new Error(`${error} (${JSON.stringify(parameters)})`);
    return data;
  }

  /** query is the vector that an expression gives now. */
  async query(query: string): Promise<readonly Sample[]> {
    const { result } = await this.get<{ readonly result: readonly Sample[] }>('query', { query });
    return result;
  }
}
