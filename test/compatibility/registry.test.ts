/** The registry of stored scripts, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'registry');
