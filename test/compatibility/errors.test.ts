/** Requests to scripts that go wrong, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'errors');
