/**
 * The usual fast choice for those who leave Node: Bun.serve and Bun.SQL, which prepares statements by their text and
 * pipelines them. It is a cluster whose processes share the port and divide the connections.
 */
import { peerSettings, serveInCluster } from '../peers/settings.js';
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
  unsafe(text: string, values?: readonly string[]): SqlQuery;
}

interface SqlQuery extends Promise<{ readonly count: number }> {
  simple(): SqlQuery;
  values(): Promise<readonly (readonly [string])[]>;
}

type Handler = (request: Request) => Promise<Response>;

const settings = peerSettings();
const { port, url } = settings;
await serveInCluster(settings, serve);

function serve(max: number): void {
  const sql = new Bun.SQL(url, { max, prepare: true, idleTimeout: 0 });
  /** A statement without a name has its values in its text: it is not prepared. */
  const run = ({ name, text, values }: Statement): SqlQuery =>
    name === undefined ? sql.unsafe(text).simple() : sql.unsafe(text, values);
  const routes: Record<string, Record<string, Handler>> = {};
  for (const [name, statement] of Object.entries(READS))
    routes[`/_QUERIES/bench/${name}`] = {
      GET: answering(async (query) => {
        const found = statement(query);
        const rows = await run({ ...found, text: asText(found.text) }).values();
        return rows[0]![0];
      }),
    };
  for (const [name, statement] of Object.entries(WRITES))
    routes[`/_QUERIES/bench/${name}`] = {
      POST: answering(async (query) => {
        const found = statement(query);
        const { count } = await run(found);
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
