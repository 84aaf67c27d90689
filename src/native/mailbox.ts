/**
 * Messages between threads of the process (native/mailbox.cc): a string, and bodies, whose memory is transferred. Cheaper
 * than a MessagePort. A mailbox does not report that the other thread has ended.
 */
import { addon } from './addon.js';
import type { LargeValue } from './pipeline.js';

/** Called for each message; an exception is uncaught. */
export type OnMessage = (text: string, bodies: readonly ArrayBuffer[] | undefined) => void;

/** A mailbox receives on the thread that created it, and does not keep that thread alive. */
export interface Mailbox {
  /** Its address for `post`, unique in the process; 0 once closed. */
  readonly address: number;
  /**
   * post sends a message; false when the mailbox of that address is closed. Of `bodies`, which arrive as bytes, large values
   * are empty afterwards; strings and buffers are copied.
   */
  post(address: number, text: string, bodies?: readonly (string | Buffer | LargeValue)[]): boolean;
  close(): void;
}

export const Mailbox: new (onMessage: OnMessage) => Mailbox = addon.Mailbox;

/** releaseBuffer frees a body's memory now instead of at garbage collection; the buffer is empty afterwards. */
export const releaseBuffer: (buffer: ArrayBuffer) => void = addon.releaseBuffer;
