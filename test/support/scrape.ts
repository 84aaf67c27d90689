/** Scrapes of a service's metrics, as numbers by series. */
import type { LogLine } from './process-group.js';

/** Series is the samples of a scrape by `name{label="value",…}`. */
export type Series = ReadonlyMap<string, number>;

/** metricsUrl waits until a service serves metrics on an address of its own, and gives the URL. */
export async function metricsUrl(service: {
  line(wanted: string): Promise<LogLine>;
}): Promise<string> {
  return String((await service.line('serving metrics'))['url']);
}

/** scrape reads the metrics in the text format of Prometheus. */
export async function scrape(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Series> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** sum adds up the series of a name whose labels have all the parts. */
export function sum(series: Series, name: string, ...parts: readonly string[]): number {
  let total = 0;
  for (const [key, value] of series)
    if ((key === name || key.startsWith(`${name}{`)) && parts.every((part) => key.includes(part)))
      total += value;
  return total;
}
