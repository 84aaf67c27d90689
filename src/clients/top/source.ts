/** Scrapes of a service over HTTP. What goes wrong is said in one line, with what to do about it. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { MetricsSettings } from '../../messages/supervisor-settings.js';
import { printable } from '../../base/text.js';
import { NAMES } from './frame.js';
import type { Scrape } from './interval.js';
import { FormatError, readMetrics } from './metrics-reader.js';

/** The only format with all buckets of histograms. */
const ACCEPT =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';

/** How long a scrape may take, ms, and how large it may be, bytes: one with 2,000 scripts has 2 MiB. */
const PATIENCE = 10_000;
const LARGEST = 64 << 20;

export class ScrapeError extends Error {
  override readonly name = 'ScrapeError';
}

/** metricsUrlOf gives the URL at which the service of a configuration has metrics. Throws ScrapeError. */
export function metricsUrlOf(listen: MetricsSettings['listen']): URL {
  if (listen === undefined)
    throw new ScrapeError(
      'metrics.listen is not set: set it for the service, such as metrics.listen = "127.0.0.1:9187", and reload that; or name the metrics with --url',
    );
  const { host, port } = listen;
  if (port === 0)
    throw new ScrapeError(
      'metrics.listen has port 0: name the metrics with --url; the log of the service has the URL in its line "serving metrics"',
    );
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new URL(`http://${reached.includes(':') ? `[${reached}]` : reached}:${port}/metrics`);
}

/** metricsUrlFrom reads a URL of the command line. Throws ScrapeError. */
export function metricsUrlFrom(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ScrapeError('--url takes a URL such as http://127.0.0.1:9187/metrics');
  if (url.username !== '' || url.password !== '')
    throw new ScrapeError(
      '--url takes no user and password: others can see the command line; the token is metrics.token, or SERVICE_METRICS_TOKEN',
    );
  if (url.pathname === '/') url.pathname = '/metrics';
  return url;
}

export class Source {
  readonly #url: URL;
  readonly #token: string | undefined;
  /** Keeps the connection from one scrape to the next. */
  readonly #agent: http.Agent;

  constructor(url: URL, token: string | undefined) {
    this.#url = url;
    this.#token = token;
    const { Agent } = url.protocol === 'https:' ? https : http;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** scrape reads the metrics. Rejects with ScrapeError, or with the reason of `signal`. */
  async scrape(signal: AbortSignal): Promise<Scrape> {
    const late = new AbortController();
    const end = (): void => late.abort();
    const timer = setTimeout(end, PATIENCE);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await this.#scrape(late.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (late.signal.aborted)
        throw this.#error(
          `does not answer within ${PATIENCE / 1_000} s: see the log of the service`,
        );
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  async #scrape(signal: AbortSignal): Promise<Scrape> {
    const token = this.#token;
    const headers = {
      accept: ACCEPT,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    let bytes: Buffer;
    try {
      const response = await this.#get(headers, signal);
      const { statusCode = 0 } = response;
      if (statusCode !== 200) {
        response.destroy();
        throw this.#refused(statusCode);
      }
      bytes = await this.#body(response);
    } catch (error) {
      if (error instanceof ScrapeError || signal.aborted) throw error;
      throw this.#unreachable(error as NodeJS.ErrnoException);
    }
    const scrape = { time: Date.now() / 1_000, at: performance.now() / 1_000 };
    return { ...scrape, metrics: this.#read(bytes) };
  }

  /** Not fetch, which refuses some ports and follows redirects: the token is for this URL alone. */
  #get(headers: http.OutgoingHttpHeaders, signal: AbortSignal): Promise<IncomingMessage> {
    const { get } = this.#url.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      get(this.#url, { headers, signal, agent: this.#agent }, resolve).on('error', reject);
    });
  }

  async #body(response: AsyncIterable<Buffer>): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of response) {
      length += part.length;
      if (length > LARGEST) throw this.#foreign('the response is too large');
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  #read(bytes: Buffer): Scrape['metrics'] {
    let metrics: Scrape['metrics'];
    try {
      metrics = readMetrics(bytes, NAMES);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw this.#foreign(error.message);
    }
    if (!metrics.has('service_build_info')) throw this.#foreign('service_build_info is missing');
    return metrics;
  }

  #refused(status: number): ScrapeError {
    if (status === 401)
      return this.#token === undefined
        ? this.#error(
            'requires a token: set metrics.token, or SERVICE_METRICS_TOKEN, to the token of the service',
          )
        : this.#error(
            'refuses the token: set metrics.token, or SERVICE_METRICS_TOKEN, to the token of the service',
          );
    if (status === 404)
      return this.#error(
        'is not there (404): metrics are at /metrics of metrics.listen; on the port of the service they are below context, and only with metrics.token',
      );
    return this.#error(`is answered with ${status}: name the metrics of the service with --url`);
  }

  #foreign(reason: string): ScrapeError {
    return this.#error(
      `has no metrics of sql-rest-service (${reason}): name the metrics of the service with --url`,
    );
  }

  #unreachable(error: NodeJS.ErrnoException): ScrapeError {
    const reason = error.code ?? error.message;
    if (reason === 'ECONNREFUSED')
      return this.#error(
        'refuses connections: the service does not run, or does not listen there; start it with metrics.listen, or name its metrics with --url',
      );
    if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN')
      return this.#error(`has a host that is unknown (${reason}): name the metrics with --url`);
    return this.#error(
      `cannot be reached (${reason}): look whether the service runs there, and at networks and firewalls between`,
    );
  }

  #error(text: string): ScrapeError {
    return new ScrapeError(printable(`${this.#url.href} ${text}`));
  }
}
