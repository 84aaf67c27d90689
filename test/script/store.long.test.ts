/** What a store keeps of many names that no script has. */
import t from 'tap';
import { forgottenTest } from './forgotten-names.js';

forgottenTest(t, 8_000, 8);
