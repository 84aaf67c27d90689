/**
 * A model of the supervisor: its state after each signal, each death of an HTTP process, and each step of a start, reload or
 * drain that a test lets happen. HTTP processes are held as they start, reloads as they read the configuration, and drains by
 * requests in flight.
 */

/** Why a configuration cannot be served: it is not JSON, its port is taken, or its second HTTP process cannot start. */
export type Flaw = 'unreadable' | 'taken' | 'unstartable';

export interface Version {
  readonly id: number;
  /** Index of its port. */
  readonly port: number;
  readonly flaw?: Flaw | undefined;
}

/** An HTTP process of a version. */
export interface Slot {
  readonly version: Version;
  readonly index: number;
  /** Of the process: a replacement is held as it starts. */
  state: 'held' | 'up' | 'gone';
  /** Whether one of its processes has listened. */
  listened: boolean;
  /** Whether it has a request in flight. */
  busy: boolean;
  /** Times it died and was replaced. */
  deaths: number;
}

export const SIGNALS = ['SIGHUP', 'SIGTERM', 'SIGINT'] as const;

export type Action =
  | { readonly kind: (typeof SIGNALS)[number] | 'hold' | 'finish' }
  | { readonly kind: 'answer'; readonly version: Version }
  | { readonly kind: 'open' | 'kill'; readonly group: Group; readonly index: number };

export const GROUPS = ['current', 'next', 'old'] as const;
export type Group = (typeof GROUPS)[number];

type Phase = 'starting' | 'serving' | 'reading' | 'renewing' | 'draining' | 'stopping' | 'ended';

/** Most deaths of a slot: each doubles the wait before the next replacement. */
const DEATHS = 2;

export const PROCESSES = 2;

export class ServiceModel {
  phase: Phase = 'starting';
  groups: Record<Group, Slot[]>;
  /** How often each line is in the log. */
  readonly lines = { listening: 0, reloaded: 0, 'not reloaded': 0 };
  /** Exit code, once it has ended. */
  code = 0;
  #queued = false;
  #clean = true;
  #versions = 1;
  #port = 0;

  constructor() {
    this.groups = { current: [], next: slotsOf({ id: 1, port: 0 }), old: [] };
  }

  get slots(): Slot[] {
    return GROUPS.flatMap((group) => this.groups[group]).filter(({ state }) => state !== 'gone');
  }

  /** accepts tells whether the process of a slot accepts connections. */
  accepts(slot: Slot): boolean {
    return slot.state === 'up' && this.phase !== 'stopping' && !this.groups.old.includes(slot);
  }

  /** The versions of which one answers on a port; when there are none, it refuses connections. */
  answering(port: number): Set<number> {
    const { current, next } = this.groups;
    const up = [...current, ...next].filter(
      (slot) => this.accepts(slot) && slot.version.port === port,
    );
    return new Set(up.map(({ version }) => version.id));
  }

  /** The state as one cell of the table of all states. */
  get state(): string {
    const { next, current } = this.groups;
    const listened = next.filter((slot) => slot.listened).length;
    const parts = [
      this.phase,
      next.length > 0 && this.phase !== 'stopping' ? `${listened} of the new listen` : '',
      current.some(({ state }) => state === 'held') && 'a process is replaced',
      this.#queued && 'another SIGHUP waits',
    ];
    return parts.filter((part) => part).join(', ');
  }

  actions(): Action[] {
    if (this.phase === 'ended') return [];
    const actions: Action[] = SIGNALS.map((kind) => ({ kind }));
    for (const group of GROUPS)
      for (const [index, slot] of this.groups[group].entries()) {
        if (slot.state === 'held') actions.push({ kind: 'open', group, index });
        if (slot.state !== 'gone' && slot.deaths < DEATHS)
          actions.push({ kind: 'kill', group, index });
      }
    if (this.phase === 'reading')
      for (const [port, flaw] of [
        [this.#port],
        [1 - this.#port],
        [this.#port, 'unreadable'],
        [2, 'taken'],
        [this.#port, 'unstartable'],
        [1 - this.#port, 'unstartable'],
      ] as [number, Flaw?][])
        actions.push({ kind: 'answer', version: { id: this.#versions + 1, port, flaw } });
    const { current } = this.groups;
    if (this.phase === 'serving' && current.every(({ state, busy }) => state === 'up' && !busy))
      actions.push({ kind: 'hold' });
    if (this.slots.some(({ busy }) => busy)) actions.push({ kind: 'finish' });
    return actions;
  }

  apply(action: Action): void {
    switch (action.kind) {
      case 'SIGHUP':
        if (this.phase === 'serving') this.phase = 'reading';
        else if (this.phase !== 'stopping') this.#queued = true;
        break;
      case 'SIGTERM':
      case 'SIGINT':
        if (this.phase === 'stopping') for (const slot of this.slots) this.#cut(slot);
        this.phase = 'stopping';
        break;
      case 'hold':
        for (const slot of this.groups.current) slot.busy = true;
        break;
      case 'finish':
        for (const slot of this.slots) slot.busy = false;
        break;
      case 'answer':
        this.#versions = action.version.id;
        if (action.version.flaw === 'unreadable' || action.version.flaw === 'taken') this.#refuse();
        else {
          this.phase = 'renewing';
          this.groups.next = slotsOf(action.version);
        }
        break;
      case 'open':
        this.#open(action.group, this.groups[action.group][action.index]!);
        break;
      case 'kill':
        this.#kill(action.group, this.groups[action.group][action.index]!);
    }
    this.#settle();
  }

  #open(group: Group, slot: Slot): void {
    if (slot.version.flaw === 'unstartable' && slot.index === 1) this.#fail();
    else if (group === 'old' || this.phase === 'stopping') slot.state = 'gone';
    else {
      slot.state = 'up';
      slot.listened = true;
    }
  }

  #kill(group: Group, slot: Slot): void {
    if (group === 'old' || this.phase === 'stopping') this.#cut(slot);
    else if (slot.listened) {
      slot.state = 'held';
      slot.busy = false;
      slot.deaths++;
    } else this.#fail();
  }

  /** One that is not replaced. */
  #cut(slot: Slot): void {
    if (slot.state === 'up') this.#clean = false;
    slot.state = 'gone';
  }

  #fail(): void {
    if (this.phase === 'starting') {
      this.phase = 'ended';
      this.code = 1;
    } else this.#refuse();
  }

  #refuse(): void {
    this.lines['not reloaded']++;
    this.groups.next = [];
    this.#next();
  }

  #next(): void {
    this.phase = this.#queued ? 'reading' : 'serving';
    this.#queued = false;
  }

  /** What follows by itself. */
  #settle(): void {
    if (this.phase === 'ended') this.groups = { current: [], next: [], old: [] };
    const { current, next, old } = this.groups;
    if (next.length > 0 && next.every(({ listened }) => listened) && this.phase !== 'stopping') {
      this.lines[this.phase === 'starting' ? 'listening' : 'reloaded']++;
      this.groups = { current: next, next: [], old: current };
      this.#port = next[0]!.version.port;
      if (this.phase === 'starting') this.#next();
      else this.phase = 'draining';
      this.#settle();
      return;
    }
    const ending = this.phase === 'stopping' ? this.slots : old;
    for (const slot of ending) if (slot.state === 'up' && !slot.busy) slot.state = 'gone';
    if (this.phase === 'draining' && old.every(({ state }) => state === 'gone')) {
      this.groups.old = [];
      this.#next();
    }
    if (this.phase === 'stopping' && this.slots.length === 0) {
      this.phase = 'ended';
      this.code = this.#clean ? 0 : 1;
    }
  }
}

function slotsOf(version: Version): Slot[] {
  return Array.from({ length: PROCESSES }, (_, index) => {
    return { version, index, state: 'held', listened: false, busy: false, deaths: 0 };
  });
}

/** nameOf is an action as one column of the table of all states. */
export function nameOf(action: Action, { groups }: ServiceModel): string {
  if (action.kind === 'answer') return `answer ${action.version.flaw ?? 'good'}`;
  if (!('group' in action)) return action.kind;
  const { kind, group, index } = action;
  return `${kind} ${group} ${groups[group][index]!.state}`;
}
