/** What templates get of a request, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'template-data');
