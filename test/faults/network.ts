/** Faults of the network between the service and PostgreSQL, made by the proxy. */
import { once } from 'node:events';
import type { Fault, Scene } from './fault.js';
import {
  cut,
  delay,
  pass,
  singleBytes,
  swallow,
  trickle,
  type CloseForm,
  type CutPoint,
  type Flow,
} from './flows.js';
import { HttpConnection } from './http-connection.js';
import type { Proxy } from './proxy.js';
import { kindNamed, type RequestKind } from './requests.js';

/** Part of the chunks at which a connection is cut. */
const CHANCE = 0.02;

/** Where a lost connection is no proof that nothing was run, reads that write show whether one is repeated. */
const WRITING_READS: readonly RequestKind[] = [{ ...kindNamed('insert by GET'), weight: 50 }];

/** flow has all connections, open and new, pass their bytes in another way until the fault ends. */
function flow(name: string, requests: Flow, answers: Flow): Fault {
  return {
    name,
    inject: ({ site: { proxy } }) => {
      proxy.set(requests, answers);
      return Promise.resolve({ recover: () => proxy.clear() });
    },
    unnoticed: true,
  };
}

/** black makes the open connections black holes in the given directions; new connections pass. */
function black(name: string, requests: Flow, answers: Flow): Fault {
  return {
    name,
    inject: ({ site: { proxy } }) => {
      proxy.setOpen(requests, answers);
      return Promise.resolve({ clear: () => proxy.clear() });
    },
  };
}

/**
 * lost makes the open connections black holes, sends a burst of reads that write, and cuts the connections: each of them
 * has several requests on it then, which were executed or not.
 */
function lost(name: string, requests: Flow, answers: Flow, how: CloseForm): Fault {
  return {
    name,
    requests: WRITING_READS,
    inject: async ({ site: { proxy, port }, load }) => {
      const clients = Array.from({ length: 48 }, () => new HttpConnection(port));
      await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
      proxy.setOpen(requests, answers);
      const open = [...proxy.links];
      const burst = clients.map((client) => load.ask(client, WRITING_READS[0]!));
      return {
        recover: async () => {
          for (const link of open) link.close(how);
          await Promise.all(burst);
          for (const client of clients) client.close();
        },
      };
    },
    lasts: [30, 600],
    times: 6,
    // Scripts that other faults have made slow do not share connections.
    fresh: true,
  };
}

function cuts(direction: 'requests' | 'answers', at: CutPoint, how: CloseForm): Fault {
  const where = at === 'within' ? 'within' : `just ${at}`;
  return {
    name: `${how} ${where} ${direction}`,
    requests: WRITING_READS,
    inject: ({ site: { proxy }, random }: Scene) => {
      const flow = cut(at, how, CHANCE, random);
      proxy.set(direction === 'requests' ? flow : pass, direction === 'answers' ? flow : pass);
      return Promise.resolve({ recover: () => proxy.clear() });
    },
  };
}

function arrivals(name: string, form: 'reset' | 'hang'): Fault {
  return {
    name,
    inject: ({ site: { proxy } }) => {
      proxy.arrivals = form;
      proxy.cutAll('RST');
      return Promise.resolve({ recover: () => proxy.clear() });
    },
    // With and without the end of pg.conntimeout.
    lasts: [200, 3_000],
  };
}

/** halfClosed closes one direction of every open connection. */
function halfClosed(name: string, side: 'client' | 'server'): Fault {
  return {
    name,
    inject: ({ site: { proxy } }) => {
      for (const link of proxy.links) link.halfClose(side);
      return Promise.resolve({ clear: () => proxy.clear() });
    },
  };
}

function held(proxy: Proxy, hold: boolean): void {
  for (const link of proxy.links) link.hold(hold);
}

export const NETWORK_FAULTS: readonly Fault[] = [
  flow('requests delayed by 30 ms', delay(30), pass),
  flow('answers delayed by 30 ms', pass, delay(30)),
  flow('answers trickle, 8,000 bytes a millisecond', pass, trickle(8_000, 1)),
  flow('single bytes in both directions', singleBytes, singleBytes),
  {
    name: 'nothing passes for a while, then everything',
    inject: ({ site: { proxy } }) => {
      held(proxy, true);
      return Promise.resolve({ recover: () => held(proxy, false) });
    },
    lasts: [200, 1_000],
    unnoticed: true,
  },
  ...(['requests', 'answers'] as const).flatMap((direction) =>
    (['before', 'within', 'after'] as const).flatMap((at) =>
      (['RST', 'FIN'] as const).map((how) => cuts(direction, at, how)),
    ),
  ),
  lost('answers lost, then RST', pass, swallow, 'RST'),
  lost('answers lost, then FIN', pass, swallow, 'FIN'),
  lost('requests lost, then RST', swallow, pass, 'RST'),
  black('open connections swallowed for good', swallow, swallow),
  black('answers of open connections lost for good', pass, swallow),
  black('requests of open connections lost for good', swallow, pass),
  arrivals('connections cut, new ones refused', 'reset'),
  arrivals('connections cut, new ones hang', 'hang'),
  halfClosed('half-closed towards the service', 'client'),
  halfClosed('half-closed towards PostgreSQL', 'server'),
];
