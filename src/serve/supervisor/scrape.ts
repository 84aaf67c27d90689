/** A scrape: what all threads count, and what the supervisor knows of the processes of the service. */
import { readdirSync, readFileSync } from 'node:fs';
import { expose, type Exposition } from '../../observe/metrics/exposition.js';
import { familiesOf, type Family, type Sample } from '../../observe/metrics/families.js';
import { version } from '../../base/version.js';
import type { ProcessMetrics } from './process-metrics.js';
import type { SpanCounts } from './trace-exporter.js';

/** The unit of /proc/PID/status, which it calls kB. */
const KIBIBYTE = 1024;

export class Scrape {
  readonly #metrics: ProcessMetrics;
  /** When the supervisor started, seconds since 1970. */
  readonly #started = Math.round((Date.now() - process.uptime() * 1_000) / 1_000);
  readonly reloads = { succeeded: 0, failed: 0 };
  /** Spans by what became of them, see SpanCounts. */
  readonly spans: SpanCounts = { exported: 0, dropped: 0, failed: 0 };

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
  }

  /** expose gives the metrics in the format that an Accept header prefers. */
  expose(accept: string): Exposition {
    return expose(this.families(), accept);
  }

  families(): Family[] {
    return [...this.#ofService(), ...this.#ofProcesses(), ...familiesOf(this.#metrics.totals())];
  }

  #ofService(): Family[] {
    const { restarts, processes } = this.#metrics;
    const threads = processes.reduce((total, one) => total + one.threads, 0);
    return [
      {
        name: 'service_build',
        kind: 'info',
        unit: '',
        help: 'Version of the service, and of Node.',
        samples: [
          {
            labels: [
              ['version', version()],
              ['node', process.version],
            ],
            value: 1,
          },
        ],
      },
      gauge('service_start_time_seconds', 'When the service was started, since 1970.', 'seconds', [
        { labels: [], value: this.#started },
      ]),
      gauge('service_http_processes', 'HTTP processes that run, also those that end.', '', [
        { labels: [], value: processes.length },
      ]),
      gauge('service_query_workers', 'Query workers of these processes.', '', [
        { labels: [], value: threads },
      ]),
      counters(
        'service_http_process_restarts',
        'HTTP processes that were started again, by the reason.',
        'reason',
        restarts,
      ),
      counters('service_reloads', 'Reloads of the configuration.', 'result', this.reloads),
      counters(
        'service_trace_spans',
        'Spans: exported, dropped before they were sent, and sent but not taken by the collector.',
        'result',
        this.spans,
      ),
    ];
  }

  #ofProcesses(): Family[] {
    const all = [
      { name: 'supervisor', pid: process.pid },
      ...this.#metrics.processes.map(({ index, pid }) => ({ name: `http_${index}`, pid })),
    ];
    const memory: Sample[] = [];
    const descriptors: Sample[] = [];
    for (const { name, pid } of all) {
      if (pid === undefined) continue;
      const labels = [
        ['process', name],
        ['pid', String(pid)],
      ] as const;
      add(memory, labels, residentBytes(pid));
      add(descriptors, labels, openDescriptors(pid));
    }
    return [
      gauge('process_memory_usage_bytes', 'Resident memory of a process.', 'bytes', memory),
      gauge(
        'process_open_file_descriptor_count',
        'Open descriptors of a process: files, sockets, pipes.',
        '',
        descriptors,
      ),
    ];
  }
}

function add(samples: Sample[], labels: Sample['labels'], value: number | undefined): void {
  if (value !== undefined) samples.push({ labels, value });
}

function gauge(
  name: string,
  help: string,
  unit: Family['unit'],
  samples: readonly Sample[],
): Family {
  return { name, help, unit, samples, kind: 'gauge' };
}

function counters(
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Family {
  const samples = Object.entries(values).map(([key, value]) => ({
    labels: [[label, key]] as const,
    value,
  }));
  return { name, help, unit: '', samples, kind: 'counter' };
}

/** Undefined for a process that has just ended. */
function residentBytes(pid: number): number | undefined {
  try {
    const [, kibibytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * KIBIBYTE;
  } catch {
    return undefined;
  }
}

/** Undefined for a process that has just ended. */
function openDescriptors(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}
