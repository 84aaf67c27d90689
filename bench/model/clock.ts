/** The clock of a simulation: it goes from event to event. Times are in microseconds. */

interface Event {
  readonly time: number;
  /** Events of the same time happen in the order in which they were planned. */
  readonly order: number;
  readonly happen: () => void;
}

export class Clock {
  /** The time of the current event. */
  now = 0;
  #planned = 0;
  /** A binary heap: each event is before those at twice its index plus 1 and 2. */
  readonly #heap: Event[] = [];

  /** after plans an event. */
  after(delay: number, happen: () => void): void {
    const event = { time: this.now + delay, order: this.#planned++, happen };
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  /** runUntil lets all events up to a time happen. */
  runUntil(time: number): void {
    for (let first = this.#heap[0]; first && first.time <= time; first = this.#heap[0]) {
      this.#removeFirst();
      this.now = first.time;
      first.happen();
    }
    this.now = time;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
