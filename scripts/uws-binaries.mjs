/**
 * Compares the binary of uWebSockets.js that this Node loads with the SHA-256 hash that is known of it. A lockfile does so
 * for a clone only: npm ignores that of an installed package. Runs as the packages are installed.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const KNOWN = fileURLToPath(new URL('uws-binaries.json', import.meta.url));

/**
 * uwsProblem tells why the binary that the package in `root` would load must not be used; undefined when its hash is the
 * known one. Another package than the known one, which only the person who installs can choose, is not compared: `unknown`
 * is called with its name and version.
 */
export function uwsProblem(root, unknown = () => undefined) {
  const known = JSON.parse(fs.readFileSync(KNOWN, 'utf8'));
  const manifest = createRequire(path.join(root, 'package.json')).resolve(
    'uWebSockets.js/package.json',
  );
  const { name, version } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  if (name !== known.package || version !== known.version) {
    unknown(`${name} ${version}`);
    return undefined;
  }
  const file = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const wanted = known.sha256[file];
  if (wanted === undefined) return `no hash of uWebSockets.js is known for Node ${process.version}`;
  const binary = fs.readFileSync(path.join(path.dirname(manifest), file));
  if (createHash('sha256').update(binary).digest('hex') === wanted) return undefined;
  return (
    `${file} of uWebSockets.js is not the file that was published: install again, with an empty cache of npm, ` +
    'and do not start the service if this stays'
  );
}
