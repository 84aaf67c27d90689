/** A response is sent to the end of a slow client; the connection of one that stops reading is closed. */
import t from 'tap';
import { isConnected } from '../../support/tcp-state.js';
import { until } from '../../support/until.js';
import { serveDatabase } from './served-database.js';
import { LENGTH, read, SCRIPTS } from './slow-reader.js';

t.test('with a short http.timeout', async (t) => {
  const { port } = await serveDatabase(t, SCRIPTS, { timeout: 6_000 });
  const [system, small, stalled] = await Promise.all([
    read(port, { buffer: 0, part: 65_536, pause: 0.05 }),
    read(port, { buffer: 131_072, part: 65_536, pause: 0.05 }),
    read(port, {
      buffer: 8_192,
      part: 8_192,
      pause: 0,
      stop: 10_000,
      until: (client) => until(() => !isConnected(port, client)).then(() => undefined),
    }),
  ]);
  t.ok(system >= LENGTH, `taken for longer: ${system} bytes`);
  t.ok(small >= LENGTH, `with a small buffer: ${small} bytes`);
  t.ok(stalled < LENGTH, `not taken: ${stalled} bytes`);
});
