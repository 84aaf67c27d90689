/** Updates of proofs in chunks: what is on one channel, or in one event loop, must not wait behind all of it. */
import type { ProofUpdate, ServedProof } from './proofs.js';

/** Characters of the proofs in one chunk; a larger proof is a chunk of its own. */
const SIZE = 256 << 10;

/** updateChunks splits an update, in order: none when there is nothing in it. Only the last chunk says that all is complete. */
export function updateChunks({ proofs, gone, complete }: ProofUpdate): ProofUpdate[] {
  const chunks: ProofUpdate[] = [];
  let chunk: ServedProof[] = [];
  let size = 0;
  for (const proof of proofs) {
    const characters = JSON.stringify(proof).length;
    if (chunk.length > 0 && size + characters > SIZE) {
      chunks.push({ proofs: chunk, gone: [], complete: false });
      chunk = [];
      size = 0;
    }
    chunk.push(proof);
    size += characters;
  }
  if (chunk.length + gone.length > 0 || complete) chunks.push({ proofs: chunk, gone, complete });
  return chunks;
}
