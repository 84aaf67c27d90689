/** The program of the prover thread. It gives itself a low priority before it loads the rest, which takes longer. */
import { workerData, type MessagePort } from 'node:worker_threads';
import { lowPriority } from '#app/native/scheduling.js';
import type { ProverSettings } from '#app/messages/prover-settings.js';

lowPriority(); // where the kernel refuses, it proves all the same
const { runProver } = await import('#app/worker/tasks/prover-task.js');

/** Proves the scripts until the message `close` at `port`. */
export default function run({ port }: { readonly port: MessagePort }): Promise<void> {
  return runProver(workerData as ProverSettings, port);
}
