/**
 * The bytes of plugin libraries, for all front ends: what is read at the first request for one is what every front end
 * gets until the service ends, whatever becomes of the file. What nobody could load is forgotten, so that it may be mended.
 * Refuses names that no path has, what leads out of the folder, what is no regular file, and files that do not stop
 * changing.
 */
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isIdentifier } from '../http/path.js';
import type { LibraryPart, LibraryRefusal } from '../protocol.js';

/** Bytes of one message. */
const PART = 256 << 10;

/** Largest library (bytes). */
const LARGEST = 512 << 20;

/** Most bytes of one read: others take turns on libuv's threads. */
const READ = 16 << 20;

/**
 * A file that was written to within this time (milliseconds) is looked at again: the kernel's clock for files is too
 * coarse to tell one write from the next.
 */
const SETTLED = 50;
const LOOKS = 10;

/** A front end that asks. */
export interface LibraryAsker {
  /** send passes a message on and calls `sent` when it is written, or cannot be. */
  send(message: LibraryPart | LibraryRefusal, sent: (error: Error | null) => void): void;
}

interface Entry {
  readonly bytes: Promise<Buffer>;
  /** Those that have not told what became of it. */
  readonly asked: Set<LibraryAsker>;
  /** Whether anybody has loaded it. */
  loaded: boolean;
}

/** PluginLibraries serves one service. */
export class PluginLibraries {
  /** By path. */
  readonly #entries = new Map<string, Entry>();
  readonly #largest: number;

  /** `largest` is the most bytes of a library. */
  constructor(largest: number = LARGEST) {
    this.#largest = largest;
  }

  /** size is how many libraries are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** ask sends a library of a folder to a front end, in parts, or why it does not get it. */
  ask(folder: string, name: string, asker: LibraryAsker): void {
    if (!isIdentifier(name)) {
      asker.send(refusal(name, new Missing('it is no name')), () => undefined);
      return;
    }
    const file = fileOf(folder, name);
    let entry = this.#entries.get(file);
    if (entry === undefined) {
      entry = { bytes: read(folder, file, this.#largest), asked: new Set(), loaded: false };
      this.#entries.set(file, entry);
    }
    entry.asked.add(asker);
    void this.#deliver(file, name, entry, asker);
  }

  /** loaded takes what became of a library that was sent. */
  loaded(folder: string, name: string, asker: LibraryAsker, loaded: boolean): void {
    const file = fileOf(folder, name);
    const entry = this.#entries.get(file);
    if (entry === undefined) return;
    if (loaded) entry.loaded = true;
    this.#settle(file, entry, asker);
  }

  /** gone forgets a front end; what it could not load, others may. */
  gone(asker: LibraryAsker): void {
    for (const [file, entry] of this.#entries) this.#settle(file, entry, asker);
  }

  #settle(file: string, entry: Entry, asker: LibraryAsker): void {
    entry.asked.delete(asker);
    if (!entry.loaded && entry.asked.size === 0) this.#forget(file, entry);
  }

  #forget(file: string, entry: Entry): void {
    if (this.#entries.get(file) === entry) this.#entries.delete(file);
  }

  async #deliver(file: string, name: string, entry: Entry, asker: LibraryAsker): Promise<void> {
    let bytes: Buffer;
    try {
      bytes = await entry.bytes;
    } catch (error) {
      this.#forget(file, entry);
      asker.send(refusal(name, error), () => undefined);
      return;
    }
    let at = 0;
    do {
      const data = bytes.toString('base64', at, at + PART);
      at += PART;
      const last = at >= bytes.length;
      const error = await new Promise<Error | null>((sent) => {
        asker.send({ type: 'library-part', name, data, last }, sent);
      });
      if (error !== null || !entry.asked.has(asker)) return; // it is gone
    } while (at < bytes.length);
  }
}

/** What is not there, or not to be seen. */
class Missing extends Error {}

function refusal(name: string, error: unknown): LibraryRefusal {
  const reason = error instanceof Missing ? 'missing' : 'unusable';
  return { type: 'library-refused', name, reason, detail: (error as Error).message };
}

function fileOf(folder: string, name: string): string {
  return path.join(folder, `${name}.so`);
}

/** liesIn tells whether a file is one of a folder, or of those in it; both as realpath gives them. */
export function liesIn(folder: string, file: string): boolean {
  return file.startsWith(path.join(folder, path.sep));
}

async function read(folder: string, file: string, largest: number): Promise<Buffer> {
  try {
    for (let look = 1; look <= LOOKS; look++) {
      if (look > 1) await sleep(SETTLED);
      const bytes = await readOnce(folder, file, largest, look === LOOKS);
      if (bytes !== undefined) return bytes;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw ['ENOENT', 'ENOTDIR'].includes(code) ? new Missing('there is no such file') : error;
  }
  throw new Error('the file changes all the time');
}

/** The bytes of a file; undefined when it changed meanwhile or, unless it is the `last` look, a moment ago. */
async function readOnce(
  folder: string,
  file: string,
  largest: number,
  last: boolean,
): Promise<Buffer | undefined> {
  const real = await realpath(file);
  if (!liesIn(await realpath(folder), real)) throw new Missing('it leads out of the folder');
  // Without waiting for a writer, where it is a pipe; and not through a link that has come since.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw new Error('it is no regular file');
    if (before.size > largest) throw new Error(`it is larger than ${largest} bytes`);
    const bytes = await readBytes(handle, Number(before.size));
    const after = await handle.stat({ bigint: true });
    const same = before.size === after.size && before.mtimeNs === after.mtimeNs;
    const fresh = Math.abs(Date.now() - Number(after.mtimeMs)) < SETTLED;
    return bytes !== undefined && same && (last || !fresh) ? bytes : undefined;
  } finally {
    await handle.close();
  }
}

/** So many bytes from the beginning of a file; undefined when it has less. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(bytes, at, Math.min(READ, size - at), at);
    if (bytesRead === 0) return undefined;
    at += bytesRead;
  }
  return bytes;
}
