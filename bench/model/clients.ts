/**
 * The clients: in a closed loop each connection sends its next request when it has the response; in an open one requests
 * come at random at a rate, however long the responses take.
 */
import type { Clock } from './clock.js';
import type { Cores } from './cores.js';
import type { Costs } from './costs.js';
import type { Random } from '../random.js';
import { newRequest, type Request } from './request.js';
import { Thread, type Tally } from './thread.js';

export interface Load {
  /** Connections in a closed loop. */
  readonly connections?: number;
  /** Requests per second in an open one. */
  readonly rate?: number;
  /** Threads of the load generator on the service's machine; 0 if it has machines of its own. */
  readonly threads: number;
  /** Connections that send nothing but slow requests, in a closed loop. */
  readonly slowConnections: number;
}

export interface Clients {
  /** Times from request to response, µs, without those of slow requests. */
  readonly latencies: number[];
  /** waiting returns the number of requests without a response. */
  waiting(): number;
}

export interface Place {
  readonly clock: Clock;
  readonly random: Random;
  readonly costs: Costs;
  readonly tally: Tally;
  /** The machine of the load generator if it has none of its own. */
  readonly cores: Cores;
  /** Time from one machine to another and back, µs. */
  readonly network: number;
}

/** Takes a request to an HTTP process, or its response to the client. */
type Pass = (request: Request) => void;

/** startLoad starts the clients; like the kernel, it assigns connections to HTTP processes at random. */
export function startLoad(place: Place, load: Load, processes: readonly Pass[]): Clients {
  const { clock, random, network } = place;
  const latencies: number[] = [];
  let waiting = 0;
  const received = (request: Request): void => {
    waiting -= 1;
    if (!request.slow) latencies.push(clock.now - request.sent);
  };
  const overNetwork = (pass: Pass): Pass => {
    if (load.threads > 0) return pass;
    return (request) => clock.after(network / 2, () => pass(request));
  };
  const targets = processes.map(overNetwork);
  const anyTarget = (): Pass => random.pick(targets);

  const generators = Array.from({ length: load.threads }, () => startGenerator(place));
  const startConnection = (index: number): void => {
    const slow = index < load.slowConnections;
    const target = anyTarget();
    const generator = generators[index % generators.length];
    const deliver = generator ? (request: Request) => generator.put(request) : respond;
    const client: Looping = { answered: overNetwork(deliver), next: send };
    function send(): void {
      waiting += 1;
      target(newRequest(client, clock.now, slow));
    }
    send();
  };
  function respond(request: Request): void {
    received(request);
    (request.client as Looping).next();
  }
  function startGenerator({ cores, costs, tally }: Place): Thread<Request> {
    const { wake, item } = costs.generator;
    const done = (requests: readonly Request[]): void => requests.forEach(respond);
    return new Thread<Request>(cores, { batch: 1, wake, cost: () => item, done }, tally);
  }
  const connections = (load.connections ?? 0) + load.slowConnections;
  for (let index = 0; index < connections; index += 1) startConnection(index);

  if (load.rate !== undefined) {
    const gap = 1e6 / load.rate;
    const client = { answered: overNetwork(received) };
    const arrive = (): void => {
      waiting += 1;
      anyTarget()(newRequest(client, clock.now, false));
      clock.after(random.exponential(gap), arrive);
    };
    clock.after(random.exponential(gap), arrive);
  }
  return { latencies, waiting: () => waiting };
}

/** A connection of a closed loop. */
interface Looping {
  answered: Pass;
  /** next sends its next request. */
  next(): void;
}
