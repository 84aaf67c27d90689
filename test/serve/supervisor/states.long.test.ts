/**
 * Signals to the supervisor, and deaths of HTTP processes, at every step of a start, a reload, a failed reload and a drain: after
 * each, the processes, the ports and the configuration that answers are those of the model.
 */
import t from 'tap';
import { DrivenService } from './held-service.js';
import { walksOfAll } from './service-walks.js';

t.jobs = 4;
t.setTimeout(290_000);

for (const [i, walk] of walksOfAll().entries())
  t.test(`walk ${i + 1}`, { buffered: true }, (t) => DrivenService.follow(t, walk));
