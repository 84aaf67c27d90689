/**
 * What the requests of a route are counted under. A script or a function of a plugin has a name of its own only once its
 * backend has answered a request for it: until then, and so for everything that does not exist, its requests count as those
 * of all such paths together. Callers can therefore make no series.
 */
import { MOST_SCRIPTS, REQUEST_DURATION, ROUTES } from '../../../observe/metrics/catalogue.js';
import { observeSeconds } from '../../../observe/metrics/histogram.js';
import { OTHER } from '../../../observe/metrics/metric-table.js';
import { row } from '../../../observe/metrics/thread.js';

/** The methods with series of their own; any other is `_OTHER`, as OpenTelemetry has it. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const OTHER_METHOD = '_OTHER';

/** countedMethod is the name of a method in metrics and spans. */
export function countedMethod(method: string): string {
  return METHODS.includes(method) ? method : OTHER_METHOD;
}

/** More than the largest status. */
const STATUSES = 1_024;

/** The name for requests that match no route. */
const UNMATCHED = 'unmatched';

export class RouteMetrics {
  #series: RouteSeries | undefined;
  /** Undefined once it is in use, and for a route without another name. */
  #own: string | undefined;
  readonly #shared: string;

  /** `own` is its name once it is confirmed, `shared` the one until then. */
  constructor(shared = UNMATCHED, own?: string) {
    this.#shared = shared;
    this.#own = own;
  }

  /** confirm has it counted under its own name: its backend knows it. */
  confirm(): void {
    if (this.#own === undefined) return;
    this.#series = seriesOf(this.#own, true);
    this.#own = undefined;
  }

  /** name is what its requests are counted under; undefined when they match no route. */
  get name(): string | undefined {
    const name = this.#series?.name ?? this.#shared;
    return name === UNMATCHED ? undefined : name;
  }

  /** count counts a response, or the end of a request without one, after so many seconds. */
  count(method: string, status: number, seconds: number): void {
    this.#series ??= seriesOf(this.#shared, false);
    observeSeconds(this.#series.row(method, status), REQUEST_DURATION, seconds);
  }
}

class RouteSeries {
  readonly name: string;
  readonly #rows = new Map<number, Float64Array>();
  /** The last one: most often the next. */
  #key = -1;
  #row!: Float64Array;

  constructor(route: string) {
    this.name = route;
  }

  row(method: string, status: number): Float64Array {
    const at = method === 'GET' ? 0 : METHODS.indexOf(method);
    const key = at * STATUSES + status;
    if (key === this.#key) return this.#row;
    let found = this.#rows.get(key);
    if (found === undefined) {
      found = row(ROUTES, [METHODS[at] ?? OTHER_METHOD, this.name, String(status)]);
      this.#rows.set(key, found);
    }
    this.#key = key;
    this.#row = found;
    return found;
  }
}

const SERIES = new Map<string, RouteSeries>();

/** Routes of SERIES that callers have named. */
let confirmed = 0;

function seriesOf(route: string, counted: boolean): RouteSeries {
  const known = SERIES.get(route);
  if (known !== undefined) return known;
  if (counted && confirmed >= MOST_SCRIPTS) return seriesOf(OTHER, false);
  if (counted) confirmed++;
  const made = new RouteSeries(route);
  SERIES.set(route, made);
  return made;
}
