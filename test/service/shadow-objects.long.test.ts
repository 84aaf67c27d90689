/** No operator, function or cast of another user takes the place of one that the service means, whatever it connects as. */
import t from 'tap';
import { shadowTests } from './shadow-objects.js';

const LATE = 'public, pg_catalog, ext';

t.test('a superuser', (t) => shadowTests(t, { user: 'postgres', searchPath: 'public, ext' }));
t.test('a superuser, pg_catalog last', (t) =>
  shadowTests(t, { user: 'postgres', searchPath: LATE }),
);
t.test('a NOINHERIT role, pg_catalog last', (t) =>
  shadowTests(t, { user: 'svc', searchPath: LATE }),
);
t.test('roles of callers', (t) => shadowTests(t, { user: 'svc', roles: true }));
t.test('roles of callers, pg_catalog last', (t) =>
  shadowTests(t, { user: 'svc', roles: true, searchPath: LATE }),
);
