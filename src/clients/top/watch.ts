/** Scrapes a service once a second and shows what was counted in between, until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { frameOf, type Frame } from './frame.js';
import { intervalBetween, type Scrape } from './interval.js';
import { ScrapeError, type Source } from './source.js';

/** From one scrape to the next, ms. */
const INTERVAL = 1_000;

export interface View {
  show(frame: Frame): void | Promise<void>;
  /** lost says why there is no new frame; what was shown before is out of date. */
  lost(reason: string): void;
}

export interface WatchOptions {
  /** Whether to show one frame, for the first interval. Otherwise the first one has everything since the start. */
  readonly once: boolean;
  readonly stop: AbortSignal;
}

/**
 * watch resolves when it is stopped, or the frame has been shown. Rejects with ScrapeError when there is nothing to begin
 * with; later failures are shown, and tried again.
 */
export async function watch(
  source: Pick<Source, 'scrape'>,
  view: View,
  { once, stop }: WatchOptions,
): Promise<void> {
  let before: Scrape | undefined;
  for (;;) {
    const began = performance.now();
    try {
      const now = await source.scrape(stop);
      const isShown = !once || before !== undefined;
      if (isShown) await view.show(frameOf(intervalBetween(before, now), now.metrics, now.time));
      if (isShown && once) return;
      before = now;
    } catch (error) {
      if (stop.aborted) return;
      if (!(error instanceof ScrapeError) || once || before === undefined) throw error;
      view.lost(error.message);
    }
    // A scrape that takes long costs the service as much: half of the time is left to it.
    const took = performance.now() - began;
    await sleep(Math.max(INTERVAL - took, took), undefined, { signal: stop }).catch(
      () => undefined,
    );
    if (stop.aborted) return;
  }
}
