/** A port for a program that cannot tell which one it was given, or that is to have it again after it ended. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';

/** The ports that the kernel gives to those who ask for port 0, and to outgoing connections: the first and the last. */
const TAKEN = '/proc/sys/net/ipv4/ip_local_port_range';

/** Outside of it, ports below the first of these are those of well-known programs; as few as that many are too few. */
const FIRST = 20_000;
const FEW = 1_000;

/** freePort gives a port of 127.0.0.1 that was free a moment ago; see free-port.d.mts. */
export async function freePort() {
  const [low = 0, high = 0] = range();
  for (;;) {
    const port = low === 0 ? 0 : low + Math.floor(Math.random() * (high - low + 1));
    const server = net.createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      continue;
    }
    const given = server.address().port;
    server.close();
    await once(server, 'close');
    return given;
  }
}

/** The ports below those of the kernel, or above them; none where it has nearly all, or is not known. */
function range() {
  let text;
  try {
    text = readFileSync(TAKEN, 'utf8');
  } catch {
    return []; // a sandbox may hide it
  }
  const [first, last] = text.trim().split(/\s+/).map(Number);
  const ranges = [
    [FIRST, first - 1],
    [Math.max(last + 1, FIRST), 65_535],
  ];
  return ranges.find(([low, high]) => high - low >= FEW) ?? [];
}
