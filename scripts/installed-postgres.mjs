/**
 * The servers of Debian's and Ubuntu's packages on this machine, in their versions. Tests and the benchmark start clusters of
 * their own from these programs (embedded-postgres.mjs); the cluster that a package makes is never touched.
 */
import fs from 'node:fs';
import path from 'node:path';
import { SetupError } from './step.mjs';

const ROOT = '/usr/lib/postgresql';

/** installedServers lists the servers that are installed, `{ version, bin }`, the oldest first. */
export function installedServers(root = ROOT) {
  const versions = fs.existsSync(root) ? fs.readdirSync(root) : [];
  return versions
    .map((version) => ({ version: Number(version), bin: path.join(root, version, 'bin') }))
    .filter(({ version, bin }) => version > 0 && isServer(bin))
    .sort((a, b) => a.version - b.version);
}

/**
 * serversNamed gives the servers that `--postgres` names: `debian` for all that are installed, a version, or the folder of
 * the programs. Throws SetupError when none of them is there.
 */
export function serversNamed(name, root = ROOT) {
  if (name.includes('/')) {
    if (isServer(name)) return [{ version: undefined, bin: path.resolve(name) }];
    throw new SetupError(`--postgres: there is no PostgreSQL server in ${name}`);
  }
  const servers = installedServers(root);
  const named = servers.filter(({ version }) => name === 'debian' || name === String(version));
  if (named.length > 0) return named;
  const found = servers.map(({ version }) => version).join(', ') || 'none';
  throw new SetupError(`--postgres ${name}: no such server is installed from packages (${found})`);
}

/** isServer tells whether a folder has the programs of a server, and not only the clients. */
function isServer(bin) {
  return ['initdb', 'postgres'].every((program) => fs.existsSync(path.join(bin, program)));
}
