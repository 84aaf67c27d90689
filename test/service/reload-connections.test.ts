/** During a reload connections are shared, with the least that there can be; reload-connections.long.test.ts has others. */
import t from 'tap';
import { sharedTest } from './shared-connections.js';

sharedTest(t, { processes: 1, threads: 1, connections: 1 });
