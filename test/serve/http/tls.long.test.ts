/** A thousand connections with TLS at a time. */
import t from 'tap';
import { makeCertificate } from '../../support/certificates.js';
import { GATES } from '../../support/gate.js';
import { serveDatabase } from './served-database.js';
import { CONNECTION_SCRIPTS, connectionsTest } from './tls-connections.js';

const CONNECTIONS = 1_000;

const tls = makeCertificate('first');
const served = await serveDatabase(t, CONNECTION_SCRIPTS, { tls, queue: CONNECTIONS });
await served.postgres.sql(GATES);

connectionsTest(t, { ...served, ca: tls.cert }, CONNECTIONS);
