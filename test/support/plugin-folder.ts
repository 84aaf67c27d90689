/** Folders of plugins for tests, compiled from C as their authors would. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

const INCLUDE = path.join(process.cwd(), 'native', 'include');

/** The two ways in which plugins run. */
export const ISOLATIONS = ['process', 'thread'] as const;

/** PluginFolder is one of them, gone with its test. */
export class PluginFolder {
  readonly path: string;

  constructor(t: Pick<Test, 'teardown'>) {
    this.path = mkdtempSync(path.join(tmpdir(), 'plugins-'));
    t.teardown(() => rmSync(this.path, { recursive: true, force: true }));
  }

  /** file is the library of a name. */
  file(name: string): string {
    return path.join(this.path, `${name}.so`);
  }

  /** compile makes a library of a file in C. */
  compile(name: string, source: string): void {
    this.#compile(name, [source], undefined);
  }

  /** write makes a library of a text in C, after the header was included. */
  write(name: string, text: string): void {
    this.#compile(name, ['-xc', '-'], `#include <service_plugin.h>\n${text}\n`);
  }

  #compile(name: string, sources: readonly string[], input: string | undefined): void {
    const flags = ['-shared', '-fPIC', '-Wall', '-Werror', `-I${INCLUDE}`];
    execFileSync('cc', [...flags, ...sources, '-o', this.file(name)], { input });
  }
}
