/**
 * Ends the service with npm. A signal to `npx` or `npm run` reaches only the shell between npm and this process: the shell
 * ends, and the service would keep running. When started by npm, it treats the end of its parent as SIGTERM.
 */

/** Interval between checks of the parent, in milliseconds. */
const INTERVAL = 200;

/** endWithNpm sends SIGTERM to this process when npm started it and its parent ends. */
export function endWithNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, INTERVAL);
  timer.unref();
}
