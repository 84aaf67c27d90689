/** How values come out of scripts, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'values');
