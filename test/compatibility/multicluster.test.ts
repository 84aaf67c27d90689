/** Several databases under aliases, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'multicluster');
