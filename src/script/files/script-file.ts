/**
 * Reads, checks and compiles one script file. Refuses what is not a regular file (without blocking on a pipe), files outside
 * of the directory of scripts once links are followed, and text that is too large or not UTF-8. Reads are asynchronous, so
 * that a slow disk does not block the thread.
 */
import { constants, type BigIntStats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { ServiceError } from '../../base/errors.js';
import { outsideTree, scriptNotUsable } from '../script-error.js';
import { compileText, MAX_SIZE, type Compiled } from '../script-text.js';
import type { Verb } from '../verb.js';

/** The stamp of a file that does not exist or is not a regular file. */
export const ABSENT = 'absent';

/** Identity and version of a file: the same stamp means the same text. */
export interface FileStamp {
  readonly stamp: string;
  /** When the file was written last, ms since the epoch; undefined when absent. */
  readonly written: number | undefined;
  /** Bytes. */
  readonly size: number;
}

const NO_FILE: FileStamp = { stamp: ABSENT, written: undefined, size: 0 };

/** stampOf gives the stamp of a file without opening it. Rejects when the file system fails. */
export async function stampOf(path: string): Promise<FileStamp> {
  try {
    return stampOfStats(await stat(path, { bigint: true }));
  } catch (error) {
    if (isAbsence(error)) return NO_FILE;
    throw error;
  }
}

/** Undefined when the file changed while it was read, or is missing. */
export type ReadFile = { readonly stamp: string; readonly compiled: Compiled } | undefined;

/**
 * readScript reads and compiles a file. `script` is `<folder>/<name>`, for messages; `root` the directory of scripts.
 * Rejects when the file system fails.
 */
export async function readScript(
  path: string,
  script: string,
  verb: Verb,
  root: string,
): Promise<ReadFile> {
  const read = await readText(path, script, root);
  if (read === undefined) return undefined;
  const { stamp, text } = read;
  const compiled = text instanceof ServiceError ? text : compileText(text, script, verb);
  return { stamp, compiled };
}

/** readText reads a file as readScript does: its text, or the error for requests. */
export async function readText(
  path: string,
  script: string,
  root: string,
): Promise<{ readonly stamp: string; readonly text: string | ServiceError } | undefined> {
  // Opening a pipe would block without O_NONBLOCK; the stat that follows shows what it is.
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  try {
    const before = stampOfStats(await handle.stat({ bigint: true }));
    if (before.stamp === ABSENT) return undefined;
    if (!(await isInside(handle, root))) {
      return { stamp: before.stamp, text: outsideTree(script) };
    }
    const bytes = await readLimited(handle, before.size);
    const after = stampOfStats(await handle.stat({ bigint: true }));
    if (after.stamp !== before.stamp) return undefined;
    return { stamp: before.stamp, text: textOf(bytes, script) };
  } finally {
    await handle.close();
  }
}

/** Checks the path of the open file itself, as its links may have changed meanwhile. */
async function isInside(handle: FileHandle, root: string): Promise<boolean> {
  const real = await readlink(`/proc/self/fd/${handle.fd}`);
  const base = await realpath(root);
  return real.startsWith(base.endsWith(sep) ? base : base + sep);
}

/** Reads up to MAX_SIZE bytes and one more; `size` is what the file system says. */
async function readLimited(handle: FileHandle, size: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(size, MAX_SIZE) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (bytesRead === 0 || length > MAX_SIZE) return buffer.subarray(0, length);
    if (length === buffer.length)
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(MAX_SIZE + 1 - length)]);
  }
}

function textOf(bytes: Buffer, script: string): string | ServiceError {
  if (bytes.length > MAX_SIZE) return scriptNotUsable(script, 'the file is larger than 1 MiB');
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return scriptNotUsable(script, 'the file is not UTF-8');
  }
  return text.includes('\0') ? scriptNotUsable(script, 'the file has a NUL byte') : text;
}

/** Drops a byte order mark, which some editors write. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function stampOfStats(stats: BigIntStats): FileStamp {
  if (!stats.isFile()) return NO_FILE;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  // The later of the two: a file that was moved keeps its mtime.
  const written = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
  return { stamp: `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`, written, size: Number(size) };
}

function isAbsence(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENXIO' || code === 'ENAMETOOLONG';
}
