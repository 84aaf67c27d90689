/**
 * The supervisor: starts the HTTP processes and handles signals. SIGTERM and SIGINT drain them, a second signal or the end
 * of the grace period kills them. SIGHUP starts HTTP processes with the configuration read anew and drains the old ones; a
 * renewed certificate does the same with the configuration as it was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpansMessage } from '../../messages/ipc.js';
import type { Logger } from '../../observe/log.js';
import type { Exposition } from '../../observe/metrics/exposition.js';
import { keepYoungGenerationSmall, releaseOnceIdle } from '../../native/memory.js';
import { batchScheduling } from '../../native/scheduling.js';
import type { HttpSettings, TlsSettings } from '../../messages/http-settings.js';
import type {
  LoginLimits,
  MetricsSettings,
  TraceExportSettings,
} from '../../messages/supervisor-settings.js';
import { CertificateWatch, readCertificate, type CertificateFiles } from './certificate.js';
import { ConnectionHandover } from './connection-handover.js';
import { HttpProcessGroup } from './http-process-group.js';
import { KnownKeys } from './known-keys.js';
import { LoginAttempts } from './login-attempts.js';
import type { MetricsServer } from './metrics-server.js';
import { PluginLibraries } from './plugin-libraries.js';
import { PluginWatch } from './plugin-watch.js';
import { assertFree } from './port-claim.js';
import { ProcessMetrics, type RestartReason } from './process-metrics.js';
import { Scrape } from './scrape.js';
import { ScriptWatch, type ScriptChanges } from './script-watch.js';
import type { TraceExporter } from './trace-exporter.js';
import { workerMemory } from './worker-memory.js';

export interface Service {
  /** One for each HTTP process, all with the same host and port; port 0 picks a free one for all of them. */
  readonly httpProcesses: readonly HttpSettings[];
  /** Limits of failed logins in all HTTP processes together. */
  readonly logins: LoginLimits;
  /** Read whenever HTTP processes are started, and polled; undefined for plain HTTP. */
  readonly certificate?: CertificateFiles | undefined;
  /** Undefined: they are served nowhere. */
  readonly metrics?: MetricsSettings | undefined;
  /** Undefined: nothing is traced. */
  readonly trace?: TraceExportSettings | undefined;
  /** Undefined when scripts are files. */
  readonly scripts?: ScriptChanges | undefined;
  /** Of the supervisor's log; undefined: it stays. */
  readonly logLevel?: string | undefined;
  /** Called with the URL when all HTTP processes accept connections. */
  readonly listening?: ((url: string) => void) | undefined;
}

export interface ServeOptions extends Service {
  readonly log: Logger;
  /** Awaited before the start, which fails when it rejects. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Reads the configuration again; rejects when it is unusable, which keeps the old one. */
  readonly reload?: (() => Promise<Service>) | undefined;
}

/**
 * Signals within this time after the first one (milliseconds) are not a second one: `timeout` signals its child and then
 * the process group, and npm forwards what the terminal has sent to the group.
 */
const REPEAT = 500;

/** How much later than the end of an HTTP process a signal that was sent to all of them may be seen (milliseconds). */
const SIGNAL = 50;

/**
 * serve runs the service until a signal ends it. Resolves to the exit code: 0 when all requests were finished, 1 when some
 * were cut off or the service could not start (the reason is logged).
 */
export async function serve(options: ServeOptions): Promise<number> {
  // First, because other processes and threads inherit it.
  if (!batchScheduling()) options.log.debug('the kernel refuses batch scheduling');
  // Scrapes and changed scripts would have it grow by up to 30 MiB in an hour.
  keepYoungGenerationSmall();
  const supervisor = new Supervisor(options);
  // For the rest of this process: a signal after the last request does not change its exit code.
  process.on('SIGTERM', () => supervisor.stop());
  process.on('SIGINT', () => supervisor.stop());
  process.on('SIGHUP', () => supervisor.reload());
  return supervisor.run();
}

class Supervisor {
  readonly #options: ServeOptions;
  readonly #log: Logger;
  readonly #attempts: LoginAttempts;
  readonly #libraries = new PluginLibraries();
  readonly #metrics: ProcessMetrics;
  readonly #scrape: Scrape;
  #metricsServer: MetricsServer | undefined;
  #traces: TraceExporter | undefined;
  readonly #processes: HttpProcessGroup;
  readonly #scripts: ScriptWatch;
  #service: Service;
  /** As configured, where the port may be 0. */
  #address: ReturnType<typeof addressOf>;
  #port = 0;
  /** The certificate and key of the current HTTP processes. */
  #tls: TlsSettings | undefined;
  /** Since a signal to stop, or since the start failed. */
  #stopping = false;
  /** When the first signal to stop arrived (performance.now). */
  #stoppedAt = 0;
  /** Whether the service could not start. */
  #failed = false;
  /** The start, the current reload, or the last one: they run one after another. */
  #reloading: Promise<void> = Promise.resolve();
  /** Whether another reload is queued: it will see all changes made until then. */
  #reloadQueued = false;
  readonly #stopped: Promise<void>;
  #stop!: () => void;

  constructor(options: ServeOptions) {
    const { log, logins } = options;
    this.#options = options;
    this.#log = log;
    this.#attempts = new LoginAttempts(logins);
    this.#metrics = new ProcessMetrics(log);
    this.#scrape = new Scrape(this.#metrics);
    this.#processes = new HttpProcessGroup(
      {
        attempts: this.#attempts,
        keys: new KnownKeys(),
        libraries: this.#libraries,
        metrics: this.#metrics,
        shared: workerMemory(log),
        scrape: (accept) => this.#scrapeOrLog(accept),
        spans: (pid, message) => this.#takeSpans(pid, message),
      },
      log,
    );
    this.#scripts = new ScriptWatch(() => this.#processes.scriptsChanged(), log);
    this.#service = options;
    this.#address = addressOf(options);
    this.#stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  async run(): Promise<number> {
    this.#reloading = this.#start();
    await this.#reloading;
    if (!this.#stopping) {
      const watches = [this.#watchCertificate(), ...this.#watchPlugins()];
      await this.#stopped;
      for (const watch of watches) watch.stop();
      this.#scripts.stop();
    }
    await this.#processes.ended();
    await this.#traces?.close();
    this.#metricsServer?.close();
    if (this.#failed) return 1;
    const { clean } = this.#processes;
    this.#log.info({ clean }, 'stopped');
    return clean ? 0 : 1;
  }

  async #start(): Promise<void> {
    const service = this.#service;
    try {
      await Promise.race([this.#options.prepare?.(), this.#stopped]);
      await assertFree(this.#address.host, this.#address.port);
      this.#useMetricsServer(await this.#openMetricsServer(service), service);
      this.#useTraces(await this.#openTraces(service));
      if (this.#isStopping()) return;
      await this.#startAll(service, this.#address.port);
    } catch (error) {
      await sleep(SIGNAL);
      if (this.#isStopping()) return;
      this.#failed = this.#stopping = true;
      this.#log.fatal(`the service cannot start: ${(error as Error).message}`);
      this.#processes.kill();
    }
    if (this.#isStopping()) return;
    const url = urlOf(service, this.#port);
    this.#log.info({ url, httpProcesses: this.#processes.current.length }, 'listening');
    service.listening?.(url);
    this.#scripts.follow(service.scripts);
  }

  stop(): void {
    if (this.#stopping) {
      if (performance.now() - this.#stoppedAt < REPEAT) return;
      this.#log.warn('stopping at once');
      this.#processes.kill();
      return;
    }
    this.#stopping = true;
    this.#stoppedAt = performance.now();
    this.#log.info('stopping: finishing the requests in flight');
    void this.#processes.drain();
    this.#stop();
  }

  reload(): void {
    const { reload } = this.#options;
    if (reload === undefined || this.#reloadQueued) return;
    this.#reloadQueued = true;
    this.#afterReloading(() => {
      this.#reloadQueued = false;
      return this.#replaceAll(reload, 'reload');
    });
  }

  #afterReloading(next: () => Promise<void>): void {
    this.#reloading = this.#reloading.then(() => (this.#stopping ? undefined : next()));
  }

  /** A renewed certificate does not reload the configuration: SIGHUP decides when its changes apply. */
  #watchCertificate(): CertificateWatch {
    const options = {
      files: () => this.#service.certificate,
      served: () => this.#tls,
      renewed: () => {
        const tls = this.#tls;
        this.#afterReloading(async () => {
          // Otherwise a reload was first, and has read the files.
          if (this.#tls === tls)
            await this.#replaceAll(() => Promise.resolve(this.#service), 'certificate');
        });
      },
    };
    return new CertificateWatch(options, this.#log);
  }

  /** Only in development mode: elsewhere plugins are those that were loaded first. */
  #watchPlugins(): PluginWatch[] {
    if (this.#service.httpProcesses[0]?.development !== true) return [];
    const rebuilt = (): void =>
      this.#afterReloading(() => this.#replaceAll(() => Promise.resolve(this.#service), 'plugin'));
    return [new PluginWatch(this.#libraries, rebuilt, this.#log)];
  }

  async #replaceAll(reload: () => Promise<Service>, reason: RestartReason): Promise<void> {
    const old = this.#processes.current;
    let handover: ConnectionHandover | undefined;
    let metrics = this.#metricsServer;
    let traces = this.#traces;
    try {
      const service = await reload();
      const address = addressOf(service);
      const moved = address.host !== this.#address.host || address.port !== this.#address.port;
      if (moved) await assertFree(address.host, address.port);
      metrics = await this.#openMetricsServer(service);
      traces = await this.#openTraces(service);
      if (this.#isStopping()) return;
      handover = new ConnectionHandover(old, service.httpProcesses);
      await this.#startAll(service, moved ? address.port : this.#port, handover);
      if (this.#isStopping()) return;
      // Nothing below can fail: the old processes would stay beside the new ones.
      this.#metrics.restarts[reason] += this.#processes.current.length;
      if (reason === 'reload') this.#scrape.reloads.succeeded++;
      this.#attempts.limits = service.logins;
      this.#service = service;
      this.#address = address;
      this.#log.level = service.logLevel ?? this.#log.level;
      this.#useMetricsServer(metrics, service);
      this.#useTraces(traces);
      this.#scripts.follow(service.scripts);
      const url = urlOf(service, this.#port);
      this.#log.info({ url }, 'reloaded');
      service.listening?.(url);
    } catch (error) {
      if (this.#stopping) return;
      if (reason === 'reload') this.#scrape.reloads.failed++;
      this.#log.error(`not reloaded, the old configuration stays: ${(error as Error).message}`);
      await this.#processes.discard(old);
      handover?.undo();
      return;
    } finally {
      if (metrics !== this.#metricsServer) metrics?.close();
      if (traces !== this.#traces) void traces?.close();
    }
    await this.#processes.drain(old); // the next reload needs their connections
  }

  /** Undefined after a failure, which is logged. */
  #scrapeOrLog(accept: string): Exposition | undefined {
    try {
      return this.#scrape.expose(accept);
    } catch (error) {
      this.#log.error({ err: error }, 'metrics cannot be read');
      return undefined;
    }
  }

  /** Gives the server of the metrics of a service: the current one if it has the address. Rejects when it cannot listen. */
  async #openMetricsServer({ metrics }: Service): Promise<MetricsServer | undefined> {
    if (metrics?.listen === undefined) return undefined;
    if (this.#metricsServer?.isAt(metrics.listen) === true) return this.#metricsServer;
    const { MetricsServer } = await import('./metrics-server.js');
    return MetricsServer.open(metrics.listen, (accept) => this.#scrapeOrLog(accept), this.#log);
  }

  #useMetricsServer(server: MetricsServer | undefined, { metrics }: Service): void {
    if (this.#metricsServer !== server) this.#metricsServer?.close();
    this.#metricsServer = server;
    server?.protect(metrics?.token);
  }

  /** Gives the exporter of the spans of a service: the current one if its settings are the same. */
  async #openTraces({ trace }: Service): Promise<TraceExporter | undefined> {
    if (trace === undefined || this.#traces?.isFor(trace) === true) return trace && this.#traces;
    const { TraceExporter } = await import('./trace-exporter.js');
    return new TraceExporter(trace, this.#scrape.spans, this.#log);
  }

  #useTraces(traces: TraceExporter | undefined): void {
    if (this.#traces !== traces) void this.#traces?.close();
    this.#traces = traces;
  }

  #takeSpans(pid: number, { spans, count, dropped }: SpansMessage): void {
    this.#scrape.spans.dropped += dropped;
    if (this.#traces === undefined) this.#scrape.spans.dropped += count;
    else if (count > 0) this.#traces.add({ pid, spans: Buffer.from(spans, 'base64'), count });
  }

  /** As a method, because TypeScript takes the field for constant across an `await`. */
  #isStopping(): boolean {
    return this.#stopping;
  }

  async #startAll(service: Service, port: number, handover?: ConnectionHandover): Promise<void> {
    const tls = service.certificate && (await readCertificate(service.certificate));
    if (this.#isStopping()) return;
    const address = { port, tls };
    const stopping = (): boolean => this.#stopping;
    const chosen = await this.#processes.start(service.httpProcesses, address, handover, stopping);
    if (chosen === undefined) return;
    this.#port = chosen;
    this.#tls = tls;
    releaseOnceIdle(this.#log);
  }
}

function addressOf(service: Service): { readonly host: string; readonly port: number } {
  const { host, port } = service.httpProcesses[0] ?? { host: '127.0.0.1', port: 0 };
  return { host, port };
}

/** The base URL for clients on this machine: with a wildcard address replaced, which is not one to connect to. */
function urlOf({ httpProcesses, certificate }: Service, port: number): string {
  const { host, context } = httpProcesses[0]!;
  const scheme = certificate === undefined ? 'http' : 'https';
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}${context}`;
}
