/**
 * Anonymous memory that processes share (native/shared_memory.h). Its size is sealed. It takes memory only where it is
 * written, and is freed when its descriptors are closed and no mapping is left.
 */
import { addon } from './addon.js';

/**
 * createSharedMemory returns the descriptor of zeroed memory, which is closed on exec; a child process gets it as an entry
 * of `stdio`. Throws Error where the kernel has none.
 */
export const { createSharedMemory } = addon;

/**
 * mapSharedMemory maps bytes at an offset, a multiple of the page size. The descriptor may be closed afterwards; it is not
 * inherited any more. Throws Error for a descriptor of anything else.
 */
export const { mapSharedMemory } = addon;

/** mapOrOwn does the same; memory of the caller alone where there is no descriptor, or it cannot be mapped. */
export function mapOrOwn(fd: number | undefined, offset: number, bytes: number): ArrayBuffer {
  try {
    if (fd !== undefined) return mapSharedMemory(fd, offset, bytes);
  } catch {
    // as without a descriptor
  }
  return new ArrayBuffer(bytes);
}
