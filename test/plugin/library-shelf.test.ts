/** What a front end knows of libraries: asked for once, tried by one call, refused for a while, kept once loaded. */
import t from 'tap';
import { ServiceError } from '#app/errors.js';
import type { Logger } from '#app/log.js';
import { LibraryShelf } from '#app/plugin/library-shelf.js';
import type { PluginCall } from '#app/plugin/wire.js';
import { callOf } from './called-plugins.js';

class Shelf {
  now = 0;
  /** What the supervisor was told. */
  readonly told: string[] = [];
  readonly logged: string[] = [];
  readonly shelf: LibraryShelf;
  #calls = 0;
  #resumed: number[] = [];

  constructor() {
    const source = {
      ask: (name: string) => this.told.push(`ask ${name}`),
      loaded: (name: string, loaded: boolean) =>
        this.told.push(`${loaded ? 'loaded' : 'failed'} ${name}`),
    };
    const log = { error: ({ detail }: { detail: string }) => this.logged.push(detail) };
    this.shelf = new LibraryShelf(
      source,
      log as unknown as Logger,
      ({ id }) => this.#resumed.push(id),
      () => this.now,
    );
  }

  /** take says what a call to a library meets. */
  take(name: string): string {
    const taken = this.shelf.take(callOf(++this.#calls, `${name}/x`));
    if (taken instanceof ServiceError) return `${taken.code}: ${taken.message}`;
    return taken ? 'there' : 'waits';
  }

  /** part is a part of a library; returns the numbers of the calls that waited. */
  part(name: string, text: string, last = true): number[] {
    const data = Buffer.from(text).toString('base64');
    this.shelf.arrived({ type: 'library-part', name, data, last });
    return this.resumed();
  }

  refused(name: string, reason: 'missing' | 'unusable'): number[] {
    this.shelf.arrived({ type: 'library-refused', name, reason, detail: `/${name}` });
    return this.resumed();
  }

  /** resumed are the calls that need not wait any more. */
  resumed(): number[] {
    const resumed = this.#resumed;
    this.#resumed = [];
    return resumed;
  }
}

t.test('asked for once, in parts', (t) => {
  const one = new Shelf();
  t.equal(one.take('a'), 'waits');
  t.equal(one.take('a'), 'waits');
  t.strictSame(one.told, ['ask a']);
  t.strictSame(one.part('a', 'first ', false), []);
  t.equal(one.take('a'), 'waits');
  one.shelf.drop(new Set([2]));
  t.strictSame(one.part('a', 'second'), [1, 3]);
  t.equal(one.shelf.bytesOf('a').toString(), 'first second');
  t.equal(one.take('a'), 'there');
  one.shelf.loaded('a');
  one.shelf.loaded('a');
  t.strictSame(one.told, ['ask a', 'loaded a']);
  t.strictSame(one.part('nobody', 'asked'), []);
  t.strictSame(one.refused('nobody', 'missing'), []);
  t.end();
});

t.test('refused for a second', (t) => {
  const one = new Shelf();
  one.take('none');
  t.strictSame(one.refused('none', 'missing'), [1]);
  t.equal(one.take('none'), 'plugin_not_found: plugin not found: none');
  one.take('bad');
  one.refused('bad', 'unusable');
  t.equal(
    one.take('bad'),
    'plugin_load_failed: plugin could not be loaded, check your service logs',
  );
  t.strictSame(one.logged, ['/bad'], 'only the log learns why');
  one.now = 999;
  t.match(one.take('none'), 'plugin_not_found');
  one.now = 1_000;
  t.equal(one.take('none'), 'waits');
  t.strictSame(one.told, ['ask none', 'ask bad', 'ask none']);
  t.end();
});

t.test('one call alone gets through until it is loaded', (t) => {
  const one = new Shelf();
  one.take('a');
  t.strictSame(one.part('a', 'bytes'), [1]);
  const call = (id: number): PluginCall => callOf(id, 'a/x');
  t.equal(one.shelf.take(call(1)), true);
  t.equal(one.shelf.take(call(1)), true, 'however often it is looked at');
  t.equal(one.shelf.take(call(2)), false);
  one.shelf.ended(call(2));
  t.strictSame(one.resumed(), []);
  one.shelf.ended(call(1));
  t.strictSame(one.resumed(), [2], 'the next one, when it came to nothing');
  t.equal(one.shelf.take(call(2)), true);
  t.equal(one.shelf.take(call(3)), false);
  one.shelf.drop(new Set([2]));
  t.strictSame(one.resumed(), [3], 'or nobody waits for it');
  t.equal(one.shelf.take(call(3)), true);
  t.equal(one.shelf.take(call(4)), false);
  one.shelf.loaded('a');
  t.strictSame(one.resumed(), [4]);
  t.equal(one.shelf.take(call(4)), true);
  t.equal(one.shelf.take(call(5)), true);
  t.end();
});

t.test('what does not end to load', (t) => {
  const one = new Shelf();
  one.take('a');
  one.part('a', 'bytes');
  const call = (id: number): PluginCall => callOf(id, 'a/x');
  one.shelf.take(call(1));
  one.shelf.take(call(2));
  one.shelf.timedOut(call(2));
  t.strictSame(one.resumed(), []);
  one.shelf.timedOut(call(1));
  t.strictSame(one.resumed(), [2]);
  one.now = 59_999;
  t.equal(one.take('a'), 'plugin_timeout: plugin a takes too long to load');
  t.strictSame(one.told, ['ask a', 'failed a']);
  one.now = 60_000;
  t.equal(one.take('a'), 'waits');
  one.part('a', 'mended');
  one.shelf.loaded('a');
  one.shelf.timedOut(call(1));
  t.equal(one.take('a'), 'there', 'a handler that takes long is no such thing');
  t.end();
});

t.test('what cannot be loaded', (t) => {
  const one = new Shelf();
  one.take('a');
  one.part('a', 'bytes');
  one.shelf.unloadable('a');
  t.match(one.take('a'), 'plugin_load_failed');
  one.shelf.explain('a', 'another ABI', 'the words of the loader');
  one.shelf.explain('a', 'another ABI', 'the words of the loader');
  t.equal(one.take('a'), 'plugin_load_failed: another ABI');
  t.strictSame(one.logged, ['the words of the loader'], 'once');
  t.strictSame(one.told, ['ask a', 'failed a']);
  one.now = 1_000;
  t.equal(one.take('a'), 'waits', 'its bytes are forgotten');
  one.part('a', 'mended');
  one.shelf.loaded('a');
  one.shelf.unloadable('a');
  t.match(one.take('a'), 'plugin_load_failed', 'by another process');
  one.now = 2_000;
  t.equal(one.take('a'), 'there', 'but it stays what it is');
  t.strictSame(one.told, ['ask a', 'failed a', 'ask a', 'loaded a']);
  t.end();
});

t.test('a process that died', (t) => {
  const one = new Shelf();
  for (const name of ['loaded', 'loading']) {
    one.take(name);
    one.part(name, 'bytes');
  }
  one.shelf.loaded('loaded');
  one.shelf.crashed(new Set(['loaded', 'loading', 'unknown']));
  t.equal(one.take('loaded'), 'there');
  t.match(one.take('loading'), 'plugin_crashed');
  t.strictSame(one.told.slice(2), ['loaded loaded', 'failed loading']);
  t.end();
});

t.test('refusals are bounded', (t) => {
  const one = new Shelf();
  for (let i = 0; i < 2_000; i++) {
    one.take(`n${i}`);
    one.refused(`n${i}`, 'missing');
  }
  t.equal(one.take('n0'), 'waits');
  t.match(one.take('n1999'), 'plugin_not_found');
  t.match(one.take('n976'), 'plugin_not_found');
  t.equal(one.take('n975'), 'waits');
  t.end();
});
