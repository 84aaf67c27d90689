/** No operator, function or cast of another user takes the place of one that the service means: as a role that owns little. */
import t from 'tap';
import { shadowTests } from './shadow-objects.js';

t.test('a NOINHERIT role, the usual search path', (t) => shadowTests(t, { user: 'svc' }));
