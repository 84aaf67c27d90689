/** What single settings change, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'settings');
