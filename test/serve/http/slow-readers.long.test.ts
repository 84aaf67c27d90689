/** A response is sent to the end of a client that takes nothing for longer than uWebSockets.js waits. */
import t from 'tap';
import { serveDatabase } from './served-database.js';
import { LENGTH, read, SCRIPTS, SHORT } from './slow-reader.js';

t.test('with a long pause', async (t) => {
  // Longer than the 8-12 s after which uWebSockets.js closes a connection on which a write failed.
  const { port } = await serveDatabase(t, SCRIPTS);
  const large = [0, 131_072].map((buffer) =>
    read(port, { buffer, part: 65_536, pause: 0, stop: 10_000, still: 14 }),
  );
  // The kernel keeps less for segments as over Ethernet: it has all but a short rest by then.
  const rest = ['', 'Connection: keep-alive\r\n'].flatMap((header) =>
    [3_000, 5_000, 7_000].map(
      (stop) =>
      read(port, { length: SHORT, buffer: 4_096, segment: 1_460, part: 1_000, pause: 0, stop, still: 14, header }), // prettier-ignore
    ),
  );
  for (const bytes of await Promise.all(large)) t.ok(bytes >= LENGTH, `${bytes} bytes`);
  for (const bytes of await Promise.all(rest)) t.ok(bytes >= SHORT, `${bytes} bytes`);
});
