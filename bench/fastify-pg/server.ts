/**
 * A typical Node service: Fastify 5 with pg's pool, without a logger, with named prepared statements, and with bodies as
 * PostgreSQL wrote them. With BENCH_PROCESSES above 1 it is a cluster whose processes divide the connections.
 */
import fastify from 'fastify';
import pg from 'pg';
import { peerSettings, serveInCluster } from '../peers/settings.js';
import { BadValue, READS, WRITES, type Query } from '../peers/statements.js';

/** Bodies are not parsed. */
const AS_TEXT = { getTypeParser: () => String };

const settings = peerSettings();
const { port, url } = settings;
await serveInCluster(settings, serve);

async function serve(max: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max, idleTimeoutMillis: 0 });
  const app = fastify({ logger: false });
  for (const [name, statement] of Object.entries(READS)) {
    app.get(`/_QUERIES/bench/${name}`, async (request, reply) => {
      const query = { ...statement(lookup(request.query)), rowMode: 'array', types: AS_TEXT };
      const result = await pool.query<[string]>(query);
      return reply.header('content-type', 'application/json').send(result.rows[0]![0]);
    });
  }
  for (const [name, statement] of Object.entries(WRITES)) {
    app.post(`/_QUERIES/bench/${name}`, async (request) => {
      const result = await pool.query(statement(lookup(request.query)));
      return { rows_affected: result.rowCount };
    });
  }
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof BadValue ? 400 : 500).send({ error: String(error) }),
  );
  await app.listen({ port, host: '127.0.0.1' });
}

function lookup(query: unknown): Query {
  const values = query as Readonly<Record<string, string | undefined>>;
  return (key) => values[key];
}
