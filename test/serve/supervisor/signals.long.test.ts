/** The signals that stop a service, where signals.test.ts leaves them out. */
import t from 'tap';
import { stopTest } from './stop.js';

stopTest(t, 'SIGTERM', true);
stopTest(t, 'SIGINT', false);
