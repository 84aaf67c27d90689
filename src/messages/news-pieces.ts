/** News of proofs in pieces: what is on one channel, or in one event loop, must not wait behind all of it. */
import type { ProofNews, ServedProof } from './proofs.js';

/** Characters of the proofs in one piece; a larger proof is a piece of its own. */
const SIZE = 256 << 10;

/** newsPieces splits news, in order: none when there is nothing in it. Only the last piece says that all is complete. */
export function newsPieces({ proofs, gone, complete }: ProofNews): ProofNews[] {
  const pieces: ProofNews[] = [];
  let piece: ServedProof[] = [];
  let size = 0;
  for (const proof of proofs) {
    const characters = JSON.stringify(proof).length;
    if (piece.length > 0 && size + characters > SIZE) {
      pieces.push({ proofs: piece, gone: [], complete: false });
      piece = [];
      size = 0;
    }
    piece.push(proof);
    size += characters;
  }
  if (piece.length + gone.length > 0 || complete) pieces.push({ proofs: piece, gone, complete });
  return pieces;
}
