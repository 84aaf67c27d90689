/** A server of the distribution's packages: its major version, undefined for a folder, and the folder of its programs. */
export interface InstalledServer {
  readonly version: number | undefined;
  readonly bin: string;
}

/** installedServers lists the servers that are installed, the oldest first. */
export function installedServers(root?: string): InstalledServer[];

/** serversNamed gives the servers that `--postgres` names; there is at least one. Throws SetupError when there is none. */
export function serversNamed(name: string, root?: string): InstalledServer[];
