/** An HTTP process that has died holds no connection: a reload does not wait for a report of its own. */
import t from 'tap';
import { createLogger } from '#app/observe/log.js';
import type { Connections } from '#app/messages/ipc.js';
import { HttpProcessSlot } from '#app/serve/supervisor/http-process-slot.js';
import { ServedProofs } from '#app/serve/supervisor/served-proofs.js';
import { httpProcessSettings, sharedState } from '../../support/http-process.js';
import { childrenOf } from '../../support/process-group.js';

t.test('its slot reports what the next one may hold', async (t) => {
  const settings = httpProcessSettings({ threads: 2 });
  const log = createLogger({ level: 'silent', pretty: false }, {});
  const proofs = new ServedProofs([settings]);
  const before = childrenOf(process.pid);
  const slot = new HttpProcessSlot(settings, log, sharedState(), proofs);
  t.teardown(async () => {
    slot.kill();
    await slot.ended;
  });
  await slot.listening();
  const [pid = 0] = childrenOf(process.pid).filter((child) => !before.includes(child));
  const reported: Connections[] = [];
  const died = new Promise<void>((resolve) => {
    slot.onConnections = (connections) => {
      reported.push(connections);
      resolve();
    };
  });
  process.kill(pid, 'SIGKILL');
  await died;
  slot.allow({ main: 1 }); // as a reload does, before the next one is started
  t.strictSame(reported.slice(0, 2), [{ main: 8 }, { main: 2 }]);
});
