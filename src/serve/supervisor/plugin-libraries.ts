/**
 * Reads plugin libraries for all HTTP processes. The bytes read at the first request are those that every HTTP process gets
 * until the service ends, even if the file changes; only development mode forgets them then. A library that none of them
 * could load is dropped, so that a repaired file is read. Rejects names that are not identifiers, links that lead out of the
 * folder, files that are not regular, and files that keep changing.
 */
import { constants, type BigIntStats } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isIdentifier } from '../../base/identifier.js';
import type { LibraryPart, LibraryRejection } from '../../messages/ipc.js';

/** Size of a part (bytes). */
const PART = 256 << 10;

/** Largest library (bytes). */
const LARGEST = 512 << 20;

/** Most bytes of one read, so that libuv's threads serve others in between. */
const READ = 16 << 20;

/**
 * A file that was modified within this time (milliseconds) is read again: file timestamps are too coarse to tell two
 * writes apart.
 */
const SETTLED = 50;
const ATTEMPTS = 10;

export interface LibraryRequester {
  /** send calls `sent` when the message was written, or cannot be. */
  send(message: LibraryPart | LibraryRejection, sent: (error: Error | null) => void): void;
}

/** The content of a file, and the stamp of the version that was read. */
interface Content {
  readonly bytes: Buffer;
  readonly stamp: string;
}

interface Entry {
  readonly content: Promise<Content>;
  /** HTTP processes that have not reported whether they could load it. */
  readonly requesters: Set<LibraryRequester>;
  loaded: boolean;
}

export class PluginLibraries {
  /** By path. */
  readonly #entries = new Map<string, Entry>();
  readonly #largest: number;

  /** `largest` is the largest library (bytes). */
  constructor(largest: number = LARGEST) {
    this.#largest = largest;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** request sends a library of a folder to an HTTP process, in parts, or a rejection. */
  request(folder: string, name: string, requester: LibraryRequester): void {
    if (!isIdentifier(name)) {
      requester.send(rejection(name, new Missing('not an identifier')), () => undefined);
      return;
    }
    const file = fileOf(folder, name);
    let entry = this.#entries.get(file);
    if (entry === undefined) {
      entry = { content: read(folder, file, this.#largest), requesters: new Set(), loaded: false };
      this.#entries.set(file, entry);
    }
    entry.requesters.add(requester);
    void this.#deliver(file, name, entry, requester);
  }

  /** loaded is called with whether an HTTP process could load a library. */
  loaded(folder: string, name: string, requester: LibraryRequester, loaded: boolean): void {
    const file = fileOf(folder, name);
    const entry = this.#entries.get(file);
    if (entry === undefined) return;
    if (loaded) entry.loaded = true;
    this.#remove(file, entry, requester);
  }

  /** changed gives the files that are not the versions in use any more, with their stamps, except files that are gone. */
  async changed(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [file, entry] of [...this.#entries]) {
      try {
        const { stamp: used } = await entry.content;
        const stamp = stampOf(await stat(file, { bigint: true }));
        if (stamp !== used) found.set(file, stamp);
      } catch {
        // It cannot be read, or not now.
      }
    }
    return found;
  }

  /** forget has a file read again by the next request. */
  forget(file: string): void {
    this.#entries.delete(file);
  }

  gone(requester: LibraryRequester): void {
    for (const [file, entry] of this.#entries) this.#remove(file, entry, requester);
  }

  #remove(file: string, entry: Entry, requester: LibraryRequester): void {
    entry.requesters.delete(requester);
    if (!entry.loaded && entry.requesters.size === 0) this.#drop(file, entry);
  }

  #drop(file: string, entry: Entry): void {
    if (this.#entries.get(file) === entry) this.#entries.delete(file);
  }

  async #deliver(file: string, name: string, entry: Entry, to: LibraryRequester): Promise<void> {
    let bytes: Buffer;
    try {
      ({ bytes } = await entry.content);
    } catch (error) {
      this.#drop(file, entry);
      to.send(rejection(name, error), () => undefined);
      return;
    }
    let at = 0;
    do {
      const data = bytes.toString('base64', at, at + PART);
      at += PART;
      const last = at >= bytes.length;
      const error = await new Promise<Error | null>((sent) => {
        to.send({ type: 'library-part', name, data, last }, sent);
      });
      if (error !== null || !entry.requesters.has(to)) return; // the HTTP process has exited
    } while (at < bytes.length);
  }
}

/** The library does not exist, or is outside the folder. */
class Missing extends Error {}

function rejection(name: string, error: unknown): LibraryRejection {
  const reason = error instanceof Missing ? 'missing' : 'unusable';
  return { type: 'library-rejected', name, reason, detail: (error as Error).message };
}

function fileOf(folder: string, name: string): string {
  return path.join(folder, `${name}.so`);
}

/** liesIn tells whether a file is in a folder or below it; both as realpath gives them. */
export function liesIn(folder: string, file: string): boolean {
  return file.startsWith(path.join(folder, path.sep));
}

async function read(folder: string, file: string, largest: number): Promise<Content> {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (attempt > 1) await sleep(SETTLED);
      const content = await readOnce(folder, file, largest, attempt === ATTEMPTS);
      if (content !== undefined) return content;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw ['ENOENT', 'ENOTDIR'].includes(code) ? new Missing('there is no such file') : error;
  }
  throw new Error('the file keeps changing');
}

/** Undefined when the file changed while it was read or, unless this is the `last` attempt, shortly before. */
async function readOnce(
  folder: string,
  file: string,
  largest: number,
  last: boolean,
): Promise<Content | undefined> {
  const real = await realpath(file);
  if (!liesIn(await realpath(folder), real)) throw new Missing('it leads out of the folder');
  // O_NONBLOCK does not wait for the writer of a pipe; O_NOFOLLOW rejects a link made since realpath.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw new Error('it is not a regular file');
    if (before.size > largest) throw new Error(`it is larger than ${largest} bytes`);
    const bytes = await readBytes(handle, Number(before.size));
    const after = await handle.stat({ bigint: true });
    const same = before.size === after.size && before.mtimeNs === after.mtimeNs;
    const fresh = Math.abs(Date.now() - Number(after.mtimeMs)) < SETTLED;
    if (bytes === undefined || !same || (fresh && !last)) return undefined;
    return { bytes, stamp: stampOf(after) };
  } finally {
    await handle.close();
  }
}

function stampOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(':');
}

/** Reads `size` bytes from the beginning of a file; undefined when it has fewer. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(bytes, at, Math.min(READ, size - at), at);
    if (bytesRead === 0) return undefined;
    at += bytesRead;
  }
  return bytes;
}
