/**
 * The thread of a front end that makes XML of plugins' answers: not a query worker, whose scripts would wait for it. It is
 * started when one is wanted and ends a while after the last. Refuses more documents than it can make in reasonable time.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { XmlOutcome } from '../protocol.js';

const WORKER_FILE = fileURLToPath(new URL('../workers/xml.js', import.meta.url));

/** Most documents that wait, each with its JSON. */
const WAITING = 16;

/** How long the thread waits for the next one (milliseconds). */
const IDLE = 10_000;

/** Heap of the thread (MiB): beyond it, it dies, and nothing else. */
const HEAP = 256;

/** XmlMaker makes them one after the other. */
export class XmlMaker {
  readonly #log: Logger;
  #piscina: Piscina | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** make makes XML of JSON in UTF-8 (copied). Rejects with ServiceError: `busy`, `worker_lost` when the thread died over it. */
  async make(json: Uint8Array): Promise<XmlOutcome> {
    this.#piscina ??= this.#start();
    if (this.#piscina.queueSize >= WAITING)
      throw new ServiceError('busy', 'too many answers wait to become XML already');
    const copy = new Uint8Array(json); // what it shares its memory with would be sent too
    try {
      return (await this.#piscina.run(copy, { transferList: [copy.buffer] })) as XmlOutcome;
    } catch (error) {
      throw new ServiceError('worker_lost', undefined, { cause: error });
    }
  }

  /** close ends the thread; of what it has nothing more is heard. */
  async close(): Promise<void> {
    const piscina = this.#piscina;
    this.#piscina = undefined;
    await piscina?.destroy();
  }

  #start(): Piscina {
    const piscina = new Piscina({
      filename: WORKER_FILE,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE,
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
      recordTiming: false,
    });
    piscina.on('error', (error: unknown) => {
      if (this.#piscina === piscina) this.#log.error({ err: error }, 'making XML failed');
    });
    return piscina;
  }
}
