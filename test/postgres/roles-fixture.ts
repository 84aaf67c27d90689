/** Roles of servers that say what a test has them say, as one worker sees them. */
import { KnownPrimaries } from '#app/postgres/servers/known-primaries.js';
import { ServerRoles, type RoledServer } from '#app/postgres/servers/server-roles.js';
import type { ServerState, Silence } from '#app/postgres/servers/server.js';

interface TestServer extends RoledServer {
  state: ServerState | undefined;
  silence: Silence | undefined;
}

const GONE: Silence = { reason: 'gone', unreachable: true };

/** Three servers, and what is reported of them. */
export class RolesFixture {
  readonly servers: readonly TestServer[];
  readonly reported: string[] = [];
  readonly replaced: number[] = [];
  readonly roles;
  #now = 0;

  /** `known` is what other workers have seen; the first primary is chosen after `wait` ms at the latest. */
  constructor(known = new KnownPrimaries(undefined), wait = 0, addresses = ['a', 'b', 'c']) {
    this.servers = addresses.map((address) => ({
      address,
      state: undefined,
      silence: undefined,
      serves: false,
      ahead: false,
      isPrimary: false,
    }));
    this.roles = new ServerRoles(
      this.servers,
      { bytes: 100 },
      {
        changed: (server, standing) => this.reported.push(`${server} ${standing}`),
        replaced: (server) => this.replaced.push(server),
      },
      known,
      wait,
    );
  }

  /** says has a server say something: `p1:500` and `r1:500` are a primary and a replica on timeline 1 at 500, `e0:0` another engine. */
  says(index: number, text: string, cluster = '7'): void {
    this.roles.asks(this.servers[index]!);
    this.answers(index, text, cluster);
  }

  /** answers has a server answer a question that was sent before. */
  answers(index: number, text: string, cluster = '7'): void {
    const server = this.servers[index]!;
    const [, role, timeline, lsn] = /^([pre])(\d+):(\d+)$/.exec(text) ?? [];
    server.silence = role === undefined ? GONE : undefined;
    if (role === undefined) server.ahead = false; // as Server.lost does
    server.state =
      role === undefined
        ? undefined
        : role === 'e'
          ? { replica: false, timeline: 0, lsn: 0n, cluster, engine: 'an engine' }
          : { replica: role === 'r', timeline: Number(timeline), lsn: BigInt(lsn!), cluster };
    this.roles.answered(server, ++this.#now);
  }

  get primary(): number | undefined {
    const { primary } = this.roles;
    return primary === undefined ? undefined : this.servers.indexOf(primary);
  }

  get serving(): number[] {
    return this.servers.flatMap(({ serves }, i) => (serves ? [i] : []));
  }
}
