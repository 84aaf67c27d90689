/** What a proxy does with the bytes that pass in one direction. A flow sees each chunk as it was read. */
import type { Random } from '../../bench/random.js';

/** One direction of a proxied connection. */
export interface Wire {
  /** send passes bytes on after `wait` milliseconds, never ahead of earlier bytes. */
  send(chunk: Buffer, wait?: number): void;
  /** pace passes bytes on `wait` milliseconds after the bytes before them. */
  pace(chunk: Buffer, wait: number): void;
  /** lose makes the direction a black hole for good: bytes are read and dropped, the end of the stream too. */
  lose(): void;
  /** close ends the whole connection, on both sides. */
  close(how: CloseForm): void;
}

export type Flow = (wire: Wire, chunk: Buffer) => void;
export type CloseForm = 'RST' | 'FIN';
export type CutPoint = 'before' | 'within' | 'after';

export const pass: Flow = (wire, chunk) => wire.send(chunk);

/** swallow drops this chunk and everything after it: a stream with a gap would be no TCP stream. */
export const swallow: Flow = (wire) => wire.lose();

export function delay(wait: number): Flow {
  return (wire, chunk) => wire.send(chunk, wait);
}

/** trickle passes a chunk on in pieces of `size` bytes with `wait` milliseconds between them. */
export function trickle(size: number, wait: number): Flow {
  return (wire, chunk) => {
    for (let at = 0; at < chunk.length; at += size)
      wire.pace(chunk.subarray(at, at + size), at === 0 ? 0 : wait);
  };
}

/** Bytes at either end of a chunk that pass singly; what lies between them goes as one piece. */
const SINGLE = 96;

/** singleBytes passes the bytes of a chunk on one at a time. */
export const singleBytes: Flow = (wire, chunk) => {
  const rest = Math.max(SINGLE, chunk.length - SINGLE);
  const last = Math.min(SINGLE, chunk.length);
  for (let at = 0; at < last; at++) wire.send(chunk.subarray(at, at + 1));
  if (rest > last) wire.send(chunk.subarray(last, rest));
  for (let at = rest; at < chunk.length; at++) wire.send(chunk.subarray(at, at + 1));
};

/** cut closes the connection at one chunk of those for which `chance` holds. */
export function cut(at: CutPoint, how: CloseForm, chance: number, random: Random): Flow {
  return (wire, chunk) => {
    if (random.next() >= chance) {
      wire.send(chunk);
      return;
    }
    if (at === 'after') wire.send(chunk);
    if (at === 'within' && chunk.length > 1)
      wire.send(chunk.subarray(0, random.between(1, chunk.length - 1)));
    wire.close(how);
  };
}
