/**
 * The command `top`: what a running service does, from its metrics. On a terminal until the user quits, over a pipe until its
 * reader ends.
 */
import { ConfigError, loadConfig, type ConfigSources } from './config/load.js';
import { metricsOf } from './config/settings.js';
import { Printed } from '../clients/top/printed.js';
import { Screen } from '../clients/top/screen.js';
import { metricsUrlFrom, metricsUrlOf, ScrapeError, Source } from '../clients/top/source.js';
import { watch } from '../clients/top/watch.js';
import type { CommandLine } from './line/command-line.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** showTop resolves to the exit code. */
export async function showTop(
  sources: ConfigSources,
  { json, once, url }: Pick<CommandLine, 'json' | 'once' | 'url'>,
): Promise<number> {
  const { stdout, stderr, env } = process;
  const ended = new AbortController();
  const quit = (): void => ended.abort();
  for (const signal of SIGNALS) process.on(signal, quit);
  stdout.on('error', quit);
  let screen: Screen | undefined;
  let source: Source | undefined;
  try {
    const { listen, token } = metricsOf(loadConfig(sources).config);
    source = new Source(url === undefined ? metricsUrlOf(listen) : metricsUrlFrom(url), token);
    const { signal: stop } = ended;
    // An empty NO_COLOR counts as none (no-color.org).
    const colour = (env['NO_COLOR'] ?? '') === '';
    if (stdout.isTTY && !json && !once && env['TERM'] !== 'dumb')
      screen = new Screen({ output: stdout, input: process.stdin, colour, quit });
    const view = screen ?? new Printed({ output: stdout, errors: stderr, json, stop });
    await watch(source, view, { once, stop });
    return 0;
  } catch (error) {
    screen?.close();
    for (const reason of reasonsOf(error)) stderr.write(`error: ${reason}\n`);
    return 1;
  } finally {
    source?.close();
    screen?.close();
    stdout.off('error', quit);
    for (const signal of SIGNALS) process.off(signal, quit);
  }
}

function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof ScrapeError) return [error.message];
  throw error;
}
