/**
 * Programs that tests run and the service does not need. Where one is not installed, tests are skipped; CI installs them all
 * (scripts/system-packages.mjs), so that there a missing one is an error.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The environment in which daemons are found: Debian puts them where the paths of most users do not lead. */
export const withDaemons: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`,
};

/** findProgram is the file of the first of these programs that is installed, undefined when none is. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (withDaemons['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

/** without is the reason to skip a test that needs these programs, false when all are installed. In CI it throws Error. */
export function without(...names: readonly string[]): string | false {
  const missing = names.filter((name) => findProgram(name) === undefined);
  return missing.length > 0 && notInstalled(missing.join(', '));
}

/** notInstalled is the reason to skip a test that needs something that is not installed. In CI it throws Error. */
export function notInstalled(what: string): string {
  const reason = `not installed: ${what}`;
  if (process.env['CI']) throw new Error(`${reason}. In CI this is an error`);
  return reason;
}
