/**
 * Loads configurations of a test in a temporary folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  ConfigError,
  loadConfig,
  type ConfigSources,
  type LoadedConfig,
} from '#app/commands/config/load.js';
import type { Test } from 'tap';

/** A loaded configuration, or its errors. */
export interface Outcome {
  readonly loaded: LoadedConfig | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Loads configurations with `folder` as the working directory. */
export interface Loader {
  readonly folder: string;
  load(toml: string | undefined, sources?: Partial<ConfigSources>): Outcome;
}

/** makeLoader makes a loader, whose folder is removed after the test. */
export function makeLoader(t: Pick<Test, 'teardown'>): Loader {
  const folder = mkdtempSync(join(tmpdir(), 'configuration '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    load(toml, sources = {}) {
      const file = join(folder, 'service.toml');
      rmSync(file, { force: true });
      if (toml !== undefined) writeFileSync(file, toml);
      try {
        const loaded = loadConfig({ env: {}, flags: {}, cwd: folder, ...sources });
        return { loaded, problems: [], warnings: loaded.warnings };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { loaded: undefined, problems: error.problems, warnings: error.warnings };
      }
    },
  };
}

/** writeAt writes a file below a folder, and creates the folders between. */
export function writeAt(folder: string, name: string, text: string | Buffer): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
