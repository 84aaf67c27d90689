/** The library cache: one request, one call until a library is loaded, rejections for a while, no second load. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Logger } from '#app/observe/log.js';
import { LibraryCache } from '#app/serve/plugin/library-cache.js';
import type { PluginCall } from '#app/serve/plugin/wire.js';
import { callOf } from './called-plugins.js';

/** A cache with a clock, whose messages are recorded. */
class TestedCache {
  now = 0;
  /** To the supervisor. */
  readonly messages: string[] = [];
  readonly logged: string[] = [];
  readonly libraryCache: LibraryCache;
  #calls = 0;
  #resumed: number[] = [];

  constructor() {
    const source = {
      request: (name: string) => this.messages.push(`request ${name}`),
      loaded: (name: string, loaded: boolean) =>
        this.messages.push(`${loaded ? 'loaded' : 'failed'} ${name}`),
    };
    const log = { error: ({ detail }: { detail: string }) => this.logged.push(detail) };
    this.libraryCache = new LibraryCache(
      source,
      log as unknown as Logger,
      ({ id }) => this.#resumed.push(id),
      () => this.now,
    );
  }

  /** Submits a call to a library; whether it can run, waits, or fails. */
  take(name: string): string {
    const taken = this.libraryCache.take(callOf(++this.#calls, `${name}/x`));
    if (taken instanceof ServiceError) return `${taken.code}: ${taken.message}`;
    return taken ? 'available' : 'waits';
  }

  /** Delivers a part of a library; returns the ids of the calls that resume. */
  part(name: string, text: string, last = true): number[] {
    const data = Buffer.from(text).toString('base64');
    this.libraryCache.arrived({ type: 'library-part', name, data, last });
    return this.resumed();
  }

  rejected(name: string, reason: 'missing' | 'unusable'): number[] {
    this.libraryCache.arrived({ type: 'library-rejected', name, reason, detail: `/${name}` });
    return this.resumed();
  }

  /** The ids of the calls resumed since the last time. */
  resumed(): number[] {
    const resumed = this.#resumed;
    this.#resumed = [];
    return resumed;
  }
}

t.test('a library is requested once, and arrives in parts', (t) => {
  const cache = new TestedCache();
  t.equal(cache.take('a'), 'waits');
  t.equal(cache.take('a'), 'waits');
  t.strictSame(cache.messages, ['request a']);
  t.strictSame(cache.part('a', 'first ', false), []);
  t.equal(cache.take('a'), 'waits');
  cache.libraryCache.drop(new Set([2]));
  t.strictSame(cache.part('a', 'second'), [1, 3]);
  t.equal(cache.libraryCache.bytesOf('a').toString(), 'first second');
  t.equal(cache.take('a'), 'available');
  cache.libraryCache.loaded('a');
  cache.libraryCache.loaded('a');
  t.strictSame(cache.messages, ['request a', 'loaded a']);
  t.strictSame(cache.part('unrequested', 'bytes'), []);
  t.strictSame(cache.rejected('unrequested', 'missing'), []);
  t.end();
});

t.test('a missing or unusable library is rejected for a second', (t) => {
  const cache = new TestedCache();
  cache.take('none');
  t.strictSame(cache.rejected('none', 'missing'), [1]);
  t.equal(cache.take('none'), 'plugin_not_found: plugin not found: none');
  cache.take('bad');
  cache.rejected('bad', 'unusable');
  t.equal(
    cache.take('bad'),
    'plugin_load_failed: plugin could not be loaded, check your service logs',
  );
  t.strictSame(cache.logged, ['/bad'], 'the reason is only logged');
  cache.now = 999;
  t.match(cache.take('none'), 'plugin_not_found');
  cache.now = 1_000;
  t.equal(cache.take('none'), 'waits');
  t.strictSame(cache.messages, ['request none', 'request bad', 'request none']);
  t.end();
});

t.test('only one call runs until a library is loaded', (t) => {
  const cache = new TestedCache();
  cache.take('a');
  t.strictSame(cache.part('a', 'bytes'), [1]);
  const call = (id: number): PluginCall => callOf(id, 'a/x');
  t.equal(cache.libraryCache.take(call(1)), true);
  t.equal(cache.libraryCache.take(call(1)), true, 'repeatedly');
  t.equal(cache.libraryCache.take(call(2)), false);
  cache.libraryCache.ended(call(2));
  t.strictSame(cache.resumed(), []);
  cache.libraryCache.ended(call(1));
  t.strictSame(cache.resumed(), [2], 'the next call, after the first has failed');
  t.equal(cache.libraryCache.take(call(2)), true);
  t.equal(cache.libraryCache.take(call(3)), false);
  cache.libraryCache.drop(new Set([2]));
  t.strictSame(cache.resumed(), [3], 'or was abandoned');
  t.equal(cache.libraryCache.take(call(3)), true);
  t.equal(cache.libraryCache.take(call(4)), false);
  cache.libraryCache.loaded('a');
  t.strictSame(cache.resumed(), [4]);
  t.equal(cache.libraryCache.take(call(4)), true);
  t.equal(cache.libraryCache.take(call(5)), true);
  t.end();
});

t.test('a library that does not finish loading', (t) => {
  const cache = new TestedCache();
  cache.take('a');
  cache.part('a', 'bytes');
  const call = (id: number): PluginCall => callOf(id, 'a/x');
  cache.libraryCache.take(call(1));
  cache.libraryCache.take(call(2));
  cache.libraryCache.timedOut(call(2));
  t.strictSame(cache.resumed(), []);
  cache.libraryCache.timedOut(call(1));
  t.strictSame(cache.resumed(), [2]);
  cache.now = 59_999;
  t.equal(cache.take('a'), 'plugin_timeout: plugin a takes too long to load');
  t.strictSame(cache.messages, ['request a', 'failed a']);
  cache.now = 60_000;
  t.equal(cache.take('a'), 'waits');
  cache.part('a', 'fixed');
  cache.libraryCache.loaded('a');
  cache.libraryCache.timedOut(call(1));
  t.equal(cache.take('a'), 'available', 'a slow handler does not reject a loaded library');
  t.end();
});

t.test('a library that cannot be loaded', (t) => {
  const cache = new TestedCache();
  cache.take('a');
  cache.part('a', 'bytes');
  cache.libraryCache.unloadable('a');
  t.match(cache.take('a'), 'plugin_load_failed');
  cache.libraryCache.explain('a', 'another ABI', "the loader's message");
  cache.libraryCache.explain('a', 'another ABI', "the loader's message");
  t.equal(cache.take('a'), 'plugin_load_failed: another ABI');
  t.strictSame(cache.logged, ["the loader's message"], 'once');
  t.strictSame(cache.messages, ['request a', 'failed a']);
  cache.now = 1_000;
  t.equal(cache.take('a'), 'waits', 'it is requested again');
  cache.part('a', 'fixed');
  cache.libraryCache.loaded('a');
  cache.libraryCache.unloadable('a');
  t.match(cache.take('a'), 'plugin_load_failed', 'after another process has failed to load it');
  cache.now = 2_000;
  t.equal(cache.take('a'), 'available', 'with the same bytes');
  t.strictSame(cache.messages, ['request a', 'failed a', 'request a', 'loaded a']);
  t.end();
});

t.test('a host that died while it loaded a library', (t) => {
  const cache = new TestedCache();
  for (const name of ['loaded', 'loading']) {
    cache.take(name);
    cache.part(name, 'bytes');
  }
  cache.libraryCache.loaded('loaded');
  cache.libraryCache.crashed(new Set(['loaded', 'loading', 'unknown']));
  t.equal(cache.take('loaded'), 'available');
  t.match(cache.take('loading'), 'plugin_crashed');
  t.strictSame(cache.messages.slice(2), ['loaded loaded', 'failed loading']);
  t.end();
});

t.test('rejections are bounded', (t) => {
  const cache = new TestedCache();
  for (let i = 0; i < 2_000; i++) {
    cache.take(`n${i}`);
    cache.rejected(`n${i}`, 'missing');
  }
  t.equal(cache.take('n0'), 'waits');
  t.match(cache.take('n1999'), 'plugin_not_found');
  t.match(cache.take('n976'), 'plugin_not_found');
  t.equal(cache.take('n975'), 'waits');
  t.end();
});
