/** Hundreds of thousands of calls do not increase the memory of their host process. */
import t from 'tap';
import { probeFolder } from './called-plugins.js';
import { callsTest } from './memory.js';

callsTest(t, probeFolder(t), 300_000);
