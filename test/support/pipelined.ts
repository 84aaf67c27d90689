/** A libpq connection in pipeline mode with a Pipeline on it, driven by polling. */
import { Pipeline, ROWS, VALUE, type PipelineResult } from '#app/native/pipeline.js';
import { loadLibpq, type Libpq } from '#app/postgres/connection/libpq-addon.js';
import { until } from './until.js';

export class Pipelined {
  readonly pq: Libpq;
  pipeline: Pipeline;

  /** `pq` is connected. */
  constructor(pq: Libpq, limit: number) {
    this.pq = pq;
    pq.setNonBlocking(true);
    pq.enterPipelineMode();
    this.pipeline = new Pipeline(pq.socket(), limit);
  }

  /** connect connects without blocking the thread. */
  static async connect(conninfo: string, limit = 1 << 20): Promise<Pipelined> {
    const pq = new (loadLibpq())();
    const error = await new Promise<Error | string | undefined>((resolve) =>
      pq.connect(conninfo, resolve),
    );
    if (error !== undefined) throw new Error('cannot connect', { cause: error });
    return new Pipelined(pq, limit);
  }

  /** renew puts a new pipeline on the connection. */
  renew(limit = 1 << 20): void {
    this.pipeline.close();
    this.pipeline = new Pipeline(this.pq.socket(), limit);
  }

  /** run prepares a statement if it is given a name, sends it, and gives its outcome. */
  async run(
    sql: string,
    values: (string | null)[] = [],
    name = '',
    one = false,
  ): Promise<PipelineResult> {
    if (name !== '') this.pipeline.prepare(name, sql);
    this.pipeline.send(name, sql, values, one ? VALUE : ROWS);
    return (await this.outcomes(1))[0]!;
  }

  /** outcomes gives that many outcomes, or those up to the loss of the connection. */
  async outcomes(count: number): Promise<PipelineResult[]> {
    const all: PipelineResult[] = [];
    await until(() => {
      this.pipeline.flush();
      all.push(...this.pipeline.receive());
      const last = all.at(-1);
      const lost = typeof last === 'object' && last !== null && 'lost' in last;
      return lost || all.length >= count;
    }, 1);
    return all;
  }
}
