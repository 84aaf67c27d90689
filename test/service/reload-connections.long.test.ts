/** During a reload connections are shared, where reload-connections.test.ts leaves it out. */
import t from 'tap';
import { sharedTest } from './shared-connections.js';

sharedTest(t, { processes: 1, threads: 1, connections: 10 });
sharedTest(t, { processes: 2, threads: 1, connections: 2 });
