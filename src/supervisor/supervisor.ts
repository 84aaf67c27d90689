/**
 * The supervisor: starts the front ends on one port, keeps them running, and acts on signals. SIGTERM and SIGINT drain
 * once, a later one (or the end of the grace period) stops at once; SIGHUP starts front ends with the configuration
 * as it is now and drains the old ones, as does a renewed certificate, with the configuration as it was.
 * Refuses a port that somebody else holds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.js';
import { batchScheduling } from '../native/scheduling.js';
import type { Connections, FrontEndSettings, LoginLimits, TlsSettings } from '../protocol.js';
import { CertificateWatch, readCertificate, type CertificateFiles } from './certificate.js';
import type { FrontEndMemory } from './front-end-process.js';
import { FrontEndSlot } from './front-end-slot.js';
import { Handover } from './handover.js';
import { KnownKeys } from './known-keys.js';
import { LoginAttempts } from './login-attempts.js';
import { PluginLibraries } from './plugin-libraries.js';
import { assertFree } from './port-claim.js';
import { ScriptWatch, type ScriptChanges } from './script-watch.js';

/** What is to be served. */
export interface Service {
  /** One entry a front end, all with the same host and port; port 0 picks a free one for all of them. */
  readonly frontEnds: readonly FrontEndSettings[];
  /** How many logins may fail, over all of them. */
  readonly logins: LoginLimits;
  /** Read whenever front ends are started, and looked after; undefined for plain HTTP. */
  readonly certificate?: CertificateFiles | undefined;
  /** Listened to, so that workers hear of changes at once; undefined when no scripts are stored. */
  readonly scripts?: ScriptChanges | undefined;
}

export interface ServeOptions extends Service {
  readonly log: Logger;
  /** Reads the configuration again on SIGHUP; rejects when it is not usable, which keeps the old one. */
  readonly reload?: (() => Promise<Service>) | undefined;
  /** Called once, with the base URL (context included), when all front ends accept connections. */
  readonly listening?: ((url: string) => void) | undefined;
}

/** Time past the grace period (milliseconds) after which a front end that is still there is killed. */
const OVERDUE = 1_000;

/** How long a front end may take to close its socket (milliseconds) before the others go on without it. */
const CLOSING = 1_000;

/**
 * Within this time (milliseconds) the same request to stop may arrive several times: `timeout` signals its child and
 * then the group, npm passes on what the terminal has sent to all.
 */
const REPEAT = 500;

/**
 * serve runs the front ends until a signal ends them and resolves to the exit code: 0 when everything was finished, 1
 * when requests were cut off or the front ends could not start (the reason is logged).
 */
export async function serve(options: ServeOptions): Promise<number> {
  // Before there are other processes and threads, for it is inherited.
  if (!batchScheduling()) options.log.debug('the kernel refuses batch scheduling');
  const supervisor = new Supervisor(options);
  const stop = (): void => supervisor.stop();
  const reload = (): void => supervisor.reload();
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', reload);
  try {
    return await supervisor.run();
  } finally {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
    process.off('SIGHUP', reload);
  }
}

class Supervisor {
  readonly #options: ServeOptions;
  readonly #log: Logger;
  /** Outlives front ends, whatever they die of, and reloads. */
  readonly #memory: FrontEndMemory;
  readonly #scripts: ScriptWatch;
  #service: Service;
  /** As configured, 0 included, and what it came to. */
  #address: { readonly host: string; readonly port: number };
  #port = 0;
  /** What the current front ends show. */
  #tls: TlsSettings | undefined;
  #current: readonly FrontEndSlot[] = [];
  /** All slots that have a process: the current ones, those being started, those being drained. */
  readonly #slots = new Set<FrontEndSlot>();
  #clean = true;
  #stopping = false;
  /** When the first signal to stop came (performance.now). */
  #stoppedAt = 0;
  /** The reload under way, or the last one: they run one after another. */
  #reloading: Promise<void> = Promise.resolve();
  /** Another one is to follow: it will see whatever was changed until then. */
  #reloadWaits = false;
  readonly #stopped: Promise<void>;
  #stop!: () => void;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#memory = {
      attempts: new LoginAttempts(options.logins),
      keys: new KnownKeys(),
      libraries: new PluginLibraries(),
    };
    this.#scripts = new ScriptWatch(() => {
      for (const slot of this.#slots) slot.scriptsChanged();
    }, options.log);
    this.#service = options;
    this.#address = addressOf(options);
    this.#stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  async run(): Promise<number> {
    try {
      await assertFree(this.#address.host, this.#address.port);
      if (!this.#stopping) await this.#startAll(this.#service, this.#address.port);
    } catch (error) {
      if (!this.#stopping) {
        this.#log.fatal(`the service cannot start: ${(error as Error).message}`);
        for (const slot of this.#slots) slot.kill();
        await this.#allEnded();
        return 1;
      }
    }
    if (!this.#stopping) {
      const url = urlOf(this.#service, this.#port);
      this.#log.info({ url, frontEnds: this.#current.length }, 'listening');
      this.#options.listening?.(url);
      this.#scripts.follow(this.#service.scripts);
      const watch = this.#watchCertificate();
      await this.#stopped;
      watch.stop();
      this.#scripts.stop();
    }
    await this.#allEnded();
    this.#log.info({ clean: this.#clean }, 'stopped');
    return this.#clean ? 0 : 1;
  }

  /** stop drains; called again later, it kills. */
  stop(): void {
    if (this.#stopping) {
      if (performance.now() - this.#stoppedAt < REPEAT) return;
      this.#log.warn('stopping at once');
      for (const slot of this.#slots) slot.kill();
      return;
    }
    this.#stopping = true;
    this.#stoppedAt = performance.now();
    this.#log.info('stopping: finishing the requests in flight');
    void this.#drain([...this.#slots]);
    this.#stop();
  }

  /** reload replaces the front ends by ones with the configuration as it is now. */
  reload(): void {
    const { reload } = this.#options;
    if (reload === undefined || this.#reloadWaits) return;
    this.#reloadWaits = true;
    this.#afterReloading(() => {
      this.#reloadWaits = false;
      return this.#replaceAll(reload);
    });
  }

  #afterReloading(next: () => Promise<void>): void {
    this.#reloading = this.#reloading.then(() => (this.#stopping ? undefined : next()));
  }

  /** The configuration stays as it is: whoever changes its file decides when that counts. */
  #watchCertificate(): CertificateWatch {
    const use = {
      files: () => this.#service.certificate,
      served: () => this.#tls,
      renewed: () => {
        const tls = this.#tls;
        this.#afterReloading(async () => {
          // Otherwise a reload came first, and has read the files.
          if (this.#tls === tls) await this.#replaceAll(() => Promise.resolve(this.#service));
        });
      },
    };
    return new CertificateWatch(use, this.#log);
  }

  async #replaceAll(reload: () => Promise<Service>): Promise<void> {
    const old = this.#current;
    let handover: Handover | undefined;
    try {
      const service = await reload();
      const address = addressOf(service);
      const moved = address.host !== this.#address.host || address.port !== this.#address.port;
      if (moved) await assertFree(address.host, address.port);
      if (this.#isStopping()) return;
      handover = new Handover(old, service.frontEnds);
      await this.#startAll(service, moved ? address.port : this.#port, handover);
      if (this.#isStopping()) return;
      this.#memory.attempts.limits = service.logins;
      this.#service = service;
      this.#address = address;
      this.#scripts.follow(service.scripts);
      this.#log.info({ url: urlOf(service, this.#port) }, 'reloaded');
    } catch (error) {
      if (this.#stopping) return;
      this.#log.error(`not reloaded, the old configuration stays: ${(error as Error).message}`);
      const failed = Array.from(this.#slots).filter((slot) => !old.includes(slot));
      for (const slot of failed) slot.discard();
      await ended(failed);
      handover?.undo();
      return;
    }
    void this.#drain(old);
    await ended(old); // until then there are no connections to give to yet others
  }

  /** Whether a signal to stop came, perhaps since it was last looked at. */
  #isStopping(): boolean {
    return this.#stopping;
  }

  /** Starts front ends and makes them the current ones once all accept connections. With port 0 the first one picks. */
  async #startAll(service: Service, port: number, handover?: Handover): Promise<void> {
    const [first, ...rest] = service.frontEnds;
    if (first === undefined) throw new Error('no front end is configured');
    const tls = service.certificate && (await readCertificate(service.certificate));
    if (this.#isStopping()) return;
    const slots: FrontEndSlot[] = [];
    const start = (settings: FrontEndSettings): void => {
      const slot = this.#slot(settings, handover?.none(settings));
      slots.push(slot);
      handover?.add(slot);
    };
    start({ ...first, port, tls });
    const chosen = port === 0 ? await slots[0]!.listening() : port;
    if (this.#stopping) return;
    for (const settings of rest) start({ ...settings, port: chosen, tls });
    await Promise.all(slots.map((slot) => slot.listening()));
    this.#port = chosen;
    this.#tls = tls;
    this.#current = slots;
  }

  #slot(settings: FrontEndSettings, connections?: Connections): FrontEndSlot {
    const slot = new FrontEndSlot(settings, this.#log, this.#memory, connections);
    this.#slots.add(slot);
    void slot.ended.then((clean) => {
      this.#slots.delete(slot);
      if (!clean) this.#clean = false;
    });
    return slot;
  }

  /**
   * Ends front ends when they have finished. Clients that are told to close their connections come back at once, and a
   * connection that waits at a socket is reset with it: so first all of them close their sockets.
   */
  async #drain(slots: readonly FrontEndSlot[]): Promise<void> {
    for (const slot of slots) {
      const overdue = setTimeout(() => slot.kill(), slot.settings.grace + OVERDUE);
      void slot.ended.then(() => clearTimeout(overdue));
    }
    const closed = Promise.all(slots.map((slot) => slot.unlisten()));
    await Promise.race([closed, sleep(CLOSING, undefined, { ref: false })]);
    for (const slot of slots) slot.drain();
  }

  async #allEnded(): Promise<void> {
    await ended(this.#slots);
  }
}

async function ended(slots: Iterable<FrontEndSlot>): Promise<void> {
  await Promise.all(Array.from(slots, (slot) => slot.ended));
}

function addressOf(service: Service): { host: string; port: number } {
  const { host, port } = service.frontEnds[0] ?? { host: '127.0.0.1', port: 0 };
  return { host, port };
}

/** The base URL to try from this machine: a wildcard address is not one to connect to. */
function urlOf({ frontEnds, certificate }: Service, port: number): string {
  const { host, context } = frontEnds[0]!;
  const scheme = certificate === undefined ? 'http' : 'https';
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}${context}`;
}
