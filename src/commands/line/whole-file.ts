/** Writes files as a whole. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** writeWhole writes beside the file first: it has its old text until the new one is complete, and on disk. */
export async function writeWhole(path: string, text: string): Promise<void> {
  // In the same folder, so that rename is atomic, under a name that is not a script's.
  const temporary = join(dirname(path), `.${randomUUID()}`);
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
