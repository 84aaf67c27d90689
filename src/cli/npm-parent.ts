/**
 * The end of npm. A signal to `npx` or `npm run` reaches the shell between npm and this process and nothing else: the
 * shell ends, and the service would stay behind. Started by npm, it therefore takes the end of its parent for SIGTERM.
 */

/** How often the parent is looked at (milliseconds). */
const INTERVAL = 200;

/** endWithNpm sends this process SIGTERM when npm started it and its parent ends. Returns how to stop watching. */
export function endWithNpm(): () => void {
  if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}
