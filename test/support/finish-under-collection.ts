/** A process of its own, with --expose-gc: ends many connections and collects garbage before the loop has come round. */
import { connectPipelined } from '#app/postgres/connection/connect.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';

const settings = { conninfo: process.argv[2]! } as DatabaseSettings;

for (let round = 0; round < 60; round++) {
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      (await connectPipelined(settings)).finish();
      queueMicrotask(() => {
        globalThis.gc!();
        for (let i = 0; i < 2000; i++) Buffer.allocUnsafeSlow(200 + (i % 700));
      });
    }),
  );
}
process.exit(0);
