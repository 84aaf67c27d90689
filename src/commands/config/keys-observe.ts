/**
 * The configuration keys of metrics and traces. An unknown one stops the start: a mistyped token would leave metrics open, and
 * what the keys of traces bound leaves the machine. Data only.
 */
import { fixed, unset } from './key.js';
import {
  DAY,
  SECOND,
  choice,
  duration,
  headerPairs,
  httpUrl,
  integer,
  listenAddress,
  ratio,
  text,
} from './kind.js';

export const METRICS_KEYS = {
  'metrics.listen': unset(
    listenAddress(),
    'Address and port on which `GET /metrics` has the [metrics](observability.md) of all processes, such as `127.0.0.1:9187`; port 0 selects a free one and logs it. They have the names of scripts, databases and plugins, so other machines should reach it only with `metrics.token`, or in a network of their own.',
  ),
  'metrics.token': unset(
    text('16 to 512 letters, digits and characters of -._~+/=', /^(?=.{16,512}$)[\w.~+/-]+=*$/),
    'Token that `GET /metrics` needs, as `Authorization: Bearer …`. With it, the service has `/metrics` on its own port too.',
    { secret: true },
  ),
};

export const TRACE_KEYS = {
  'trace.endpoint': unset(
    httpUrl(),
    'URL of a collector that takes [traces](observability.md#traces) over OTLP/HTTP, such as `http://127.0.0.1:4318`; a URL without a path gets `/v1/traces`. If not set, nothing is traced.',
  ),
  'trace.headers': unset(
    headerPairs(),
    'Headers of the requests to the collector, such as `authorization=Bearer%20…`.',
    { secret: true },
  ),
  'trace.ratio': fixed(
    ratio(),
    0.01,
    'Part of the requests whose spans are kept, of those whose caller has not decided.',
  ),
  'trace.callers': fixed(
    integer(0, 10_000),
    100,
    'Maximum number of requests a second, in each HTTP process, whose spans are kept because the flag in their `traceparent` asks for it; requests without the flag are not kept. 0: callers decide nothing, and `trace.ratio` applies to all requests.',
  ),
  'trace.slow': fixed(
    duration(0, DAY),
    SECOND,
    'Duration from which the spans of a request are kept in any case, as are the spans of requests that fail (5xx): at most 100 a second in each HTTP process. 0: none are kept for their duration.',
  ),
  'trace.service': fixed(
    text('1 to 255 characters', /^[^\p{Cc}]{1,255}$/u),
    'sql-rest-service',
    'Name of the service in traces (`service.name`).',
  ),
  'trace.postgres': fixed(
    choice('off', 'application_name'),
    'off',
    'Show the trace id to PostgreSQL: `"application_name"` sets that to `sql-rest-service TRACE_ID` for the statements of requests that `trace.ratio` or their caller keeps, in their transaction only.',
  ),
};
