/**
 * Paths of the project and of the benchmark's files. The compiled program is in dist-test/bench.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** fromProject is the absolute path of a file of the project. */
export function fromProject(relative: string): string {
  return path.join(PROJECT, relative);
}

/** keptFolder creates a folder below .bench/. */
export function keptFolder(...parts: string[]): string {
  const folder = path.join(PROJECT, '.bench', ...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}
