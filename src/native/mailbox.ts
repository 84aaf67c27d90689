/**
 * Messages between threads of the process (native/mailbox.cc): a string, and large values that are handed over without
 * a copy. A fraction of the cost of a MessagePort. That the other thread has ended is for the sender to notice.
 */
import { addon } from './addon.js';
import type { LargeValue } from './pipeline.js';

/** Told of each message; an exception is an uncaught one. */
export type OnMessage = (text: string, bodies: readonly ArrayBuffer[] | undefined) => void;

/** Mailbox receives on the thread that made it, and does not keep it alive. */
export interface Mailbox {
  /** What others post to: unique in the process. */
  readonly address: number;
  /** post sends; false when nobody has that address any more. Values are empty afterwards. */
  post(address: number, text: string, bodies?: readonly LargeValue[]): boolean;
  close(): void;
}

export const Mailbox: new (onMessage: OnMessage) => Mailbox = addon.Mailbox;

/** releaseBuffer frees a body's memory now instead of some time later; the buffer has no bytes afterwards. */
export const releaseBuffer: (buffer: ArrayBuffer) => void = addon.releaseBuffer;
