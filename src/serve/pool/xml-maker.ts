/**
 * The thread of an HTTP process that converts plugins' responses to XML: not a query worker, whose scripts would wait for
 * it. It starts with the first document and ends some time after the last. Refuses documents when too many are waiting.
 */
import { Piscina } from 'piscina';
import { installedFile } from '../../base/installed-file.js';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { XmlOutcome } from '../../messages/tasks.js';

const WORKER_FILE = installedFile('dist/workers/xml.js');

/** Most documents that wait. */
const WAITING = 16;

/** How long an idle thread stays (milliseconds). */
const IDLE = 10_000;

/** Heap of the thread (MiB): beyond it only the thread dies. */
const HEAP = 256;

export class XmlMaker {
  readonly #log: Logger;
  #piscina: Piscina<Uint8Array, XmlOutcome> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** make converts JSON in UTF-8. Rejects with ServiceError: `busy`, `worker_lost` when the thread died meanwhile. */
  async make(json: Uint8Array): Promise<XmlOutcome> {
    this.#piscina ??= this.#start();
    if (this.#piscina.queueSize >= WAITING)
      throw new ServiceError('busy', 'too many answers wait to become XML already');
    const copy = new Uint8Array(json); // a transfer would take the whole buffer that it is part of
    try {
      return await this.#piscina.run(copy, { transferList: [copy.buffer] });
    } catch (error) {
      throw new ServiceError('worker_lost', undefined, { cause: error });
    }
  }

  /** close ends the thread; pending jobs are dropped. */
  async close(): Promise<void> {
    const piscina = this.#piscina;
    this.#piscina = undefined;
    await piscina?.destroy();
  }

  #start(): Piscina<Uint8Array, XmlOutcome> {
    const piscina = new Piscina<Uint8Array, XmlOutcome>({
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
