/** Keeps libraries loaded for as long as the calling thread runs (native/thread_library.h). */
import { addon } from './addon.js';

/**
 * keepLibrary keeps a loaded library until the calling thread has ended: Node unloads the addons of a worker earlier, while
 * V8 may still call them. Throws Error when no library of that path is loaded.
 */
export const keepLibrary: (path: string) => void = addon.keepLibrary;
