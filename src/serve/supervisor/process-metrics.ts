/**
 * What the HTTP processes count: the memory of each, which it shares with its threads and with the supervisor, and what
 * those counted that have ended. Where the kernel has no such memory, nothing is counted, and all else works.
 */
import { closeSync } from 'node:fs';
import type { Logger } from '../../observe/log.js';
import { BLOCK_BYTES, BlockReader } from '../../observe/metrics/block.js';
import { blocksOf } from '../../observe/metrics/places.js';
import { Retired, type Totals } from '../../observe/metrics/totals.js';
import { createSharedMemory, mapSharedMemory } from '../../native/shared-memory.js';
import type { HttpSettings } from '../../messages/http-settings.js';

/** Why the supervisor has started HTTP processes after the first ones. */
export type RestartReason = 'death' | 'reload' | 'certificate' | 'plugin';

export interface CountedProcess {
  /** Index in the service: during a reload the old and the new one have the same. */
  readonly index: number;
  readonly threads: number;
  pid: number | undefined;
}

/** The memory of an HTTP process that is being started. */
export interface ProcessMemory {
  /** To be inherited by the process; undefined without shared memory. */
  readonly descriptor: number | undefined;
  /** To be called once the process is forked. */
  readonly forked: (pid: number | undefined) => void;
  /** To be called once it has exited. */
  readonly exited: () => void;
}

export class ProcessMetrics {
  /** How many HTTP processes were started again, by reason. */
  readonly restarts: Record<RestartReason, number> = {
    death: 0,
    reload: 0,
    certificate: 0,
    plugin: 0,
  };
  readonly #log: Logger;
  readonly #retired = new Retired();
  readonly #running = new Map<CountedProcess, readonly BlockReader[]>();
  #failed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  get processes(): readonly CountedProcess[] {
    return [...this.#running.keys()];
  }

  /** create makes the memory of a process: a block for its event loop, one for each query worker, one for the prover. */
  create({ index, threads }: Pick<HttpSettings, 'index' | 'threads'>): ProcessMemory {
    const { descriptor, readers } = this.#memory(blocksOf(threads));
    const process: CountedProcess = { index, threads, pid: undefined };
    this.#running.set(process, readers);
    return {
      descriptor,
      forked: (pid) => {
        process.pid = pid;
        if (descriptor !== undefined) closeSync(descriptor);
      },
      exited: () => {
        this.#running.delete(process);
        this.#retired.add(readers);
      },
    };
  }

  /** totals adds everything up that was counted since the supervisor started. */
  totals(): Totals {
    return this.#retired.with([...this.#running.values()].flat());
  }

  #memory(blocks: number): {
    readonly descriptor: number | undefined;
    readonly readers: readonly BlockReader[];
  } {
    let descriptor: number | undefined;
    try {
      descriptor = createSharedMemory(blocks * BLOCK_BYTES);
      const memory = mapSharedMemory(descriptor, 0, blocks * BLOCK_BYTES);
      const readers = Array.from(
        { length: blocks },
        (_, block) => new BlockReader(memory, block * BLOCK_BYTES),
      );
      return { descriptor, readers };
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      if (!this.#failed) this.#log.warn({ err: error }, 'requests are not counted for metrics');
      this.#failed = true;
      return { descriptor: undefined, readers: [] };
    }
  }
}
