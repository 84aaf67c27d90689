/**
 * The program in which plugins run (native/plugin_host.cc), and the environment it is started with: nothing of the
 * service's own but what is listed here or named in the configuration.
 */
import { fileURLToPath } from 'node:url';

/** HOST_PROGRAM is its path; seen from dist/plugin. */
export const HOST_PROGRAM = fileURLToPath(
  new URL('../../build/Release/plugin_host', import.meta.url),
);

const PASSED = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR|LD_LIBRARY_PATH)$/;

/** hostEnvironment is what of this process's environment the program gets; `names` are those it gets besides. */
export function hostEnvironment(names: readonly string[]): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && (PASSED.test(name) || names.includes(name))) passed[name] = value;
  return passed;
}
