/**
 * Builds the peers in C, Go and Rust below .bench/, with the versions of packages in go.sum and Cargo.lock, which the toolchains
 * download from their registries. Rejects with the reason in one line.
 */
import path from 'node:path';
import { onPath, output } from '../load/program.js';
import { fromProject, keptFolder } from '../project.js';

export interface Toolchain {
  /** The command, on the PATH. */
  readonly command: 'cc' | 'go' | 'cargo';
  /** The arguments that build a program `name` in `folder`. */
  readonly args: (folder: string, name: string) => string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Where in that folder the program is. */
  readonly program: (name: string) => string;
}

export const GO: Toolchain = {
  command: 'go',
  args: (folder, name) => ['build', '-buildvcs=false', '-o', path.join(folder, name), '.'],
  // An older version must not download the one of go.mod.
  env: { GOTOOLCHAIN: 'local' },
  program: (name) => name,
};

export const CARGO: Toolchain = {
  command: 'cargo',
  args: (folder) => ['build', '--release', '--locked', '--quiet', '--target-dir', folder],
  program: (name) => path.join('release', name),
};

export const C: Toolchain = {
  command: 'cc',
  args: (folder, name) => [
    ...['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-O2', '-pthread'],
    ...['-I/usr/include/postgresql', `${name}.c`, '-lpq', '-o', path.join(folder, name)],
  ],
  program: (name) => name,
};

/** toolchainMissing returns why nothing can be built with a toolchain here. */
export function toolchainMissing({ command }: Toolchain): string | undefined {
  return onPath(command) ? undefined : `${command} is not on the PATH`;
}

/** builtProgram is the absolute path of the program that buildProgram makes. */
export function builtProgram({ program }: Toolchain, name: string): string {
  return path.join(keptFolder('peers', name), program(name));
}

/** buildProgram builds the sources in bench/peers/NAME. */
export async function buildProgram(
  { command, args, env = {} }: Toolchain,
  name: string,
): Promise<void> {
  try {
    const cwd = fromProject(`bench/peers/${name}`);
    await output(command, args(keptFolder('peers', name), name), { cwd, env });
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    const [first, last] = [lines[0]!.trim(), lines.at(-1)!.trim()];
    throw new Error(first === last ? first : `${first} … ${last}`, { cause: error });
  }
}
