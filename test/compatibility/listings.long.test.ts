/** Databases, schemas and tables, as recorded. */
import t from 'tap';
import { replay } from './replay.js';

await replay(t, 'listings');
