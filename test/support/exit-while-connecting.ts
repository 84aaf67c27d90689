/** A process that begins to connect eight times and exits after some milliseconds: `node … CONNINFO MILLISECONDS`. */
import { loadLibpq } from '#app/postgres/connection/libpq-addon.js';

const [conninfo, after] = process.argv.slice(2);
const PQ = loadLibpq();
for (let i = 0; i < 8; i++) new PQ().connect(conninfo!, () => undefined);
setTimeout(() => process.exit(0), Number(after));
