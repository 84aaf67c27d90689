/**
 * The usual fast choice for those who leave Node: Bun.serve and Bun.SQL, which prepares statements by their text and
 * pipelines them. It is a cluster whose processes share the port and divide the connections.
 */
import cluster from 'node:cluster';
import { peerSettings } from '../peers/settings.js';
import { BadValue, READS, WRITES, type Query, type Statement } from '../peers/statements.js';

/** What this program uses of Bun, which runs it. */
declare const Bun: {
  serve(options: {
    port: number;
    hostname: string;
    reusePort: boolean;
    routes: Readonly<Record<string, Readonly<Record<string, (request: Request) => unknown>>>>;
  }): void;
  SQL: new (url: string, options: { max: number; prepare: boolean; idleTimeout: number }) => Sql;
};

interface Sql {
  unsafe(text: string, values: readonly string[]): SqlQuery;
}

interface SqlQuery extends Promise<{ readonly count: number }> {
  values(): Promise<readonly (readonly [string])[]>;
}

type Handler = (request: Request) => Promise<Response>;

const { port, url, connections, processes } = peerSettings();

if (cluster.isPrimary && processes > 1) {
  for (let index = 0; index < processes; index += 1) cluster.fork();
} else {
  const more = (cluster.worker?.id ?? 0) <= connections % processes;
  serve(Math.floor(connections / processes) + (more ? 1 : 0));
}

function serve(max: number): void {
  const sql = new Bun.SQL(url, { max, prepare: true, idleTimeout: 0 });
  // Of other texts than these, every one is another statement.
  const unprepared = new Bun.SQL(url, { max: 1, prepare: false, idleTimeout: 0 });
  const clientOf = ({ name }: Statement): Sql => (name === undefined ? unprepared : sql);
  const routes: Record<string, Record<string, Handler>> = {};
  for (const [name, statement] of Object.entries(READS))
    routes[`/_QUERIES/bench/${name}`] = {
      GET: answering(async (query) => {
        const found = statement(query);
        const rows = await clientOf(found).unsafe(asText(found.text), found.values).values();
        return rows[0]![0];
      }),
    };
  for (const [name, statement] of Object.entries(WRITES))
    routes[`/_QUERIES/bench/${name}`] = {
      POST: answering(async (query) => {
        const found = statement(query);
        const { count } = await clientOf(found).unsafe(found.text, found.values);
        return `{"rows_affected":${count}}`;
      }),
    };
  Bun.serve({ port, hostname: '127.0.0.1', reusePort: true, routes });
}

/** asText has PostgreSQL send the body as text: Bun.SQL would parse JSON. */
function asText(text: string): string {
  return text.replace("'[]')", "'[]')::text");
}

function answering(work: (query: Query) => Promise<string>): Handler {
  return async (request) => {
    const parameters = new URL(request.url).searchParams;
    try {
      const body = await work((key) => parameters.get(key) ?? undefined);
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    } catch (error) {
      const status = error instanceof BadValue ? 400 : 500;
      return Response.json({ error: String(error) }, { status });
    }
  };
}
