/** Requests to scripts that go well, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'scripts');
