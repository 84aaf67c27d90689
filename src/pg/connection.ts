/**
 * One libpq connection in pipeline mode, driven by the readiness of its socket and never blocking. Every job is a
 * segment of its own: what it needs (its identity, a Parse when its text is to be prepared, its execution) and a sync,
 * so that a failure touches no neighbour and whoever it ran as is forgotten. Results come back in the order sent. It
 * refuses to live on in a state that a neighbour could notice: an open transaction or a session command ends it.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import { Pipeline, type Outcome } from '../native/pipeline.js';
import { READABLE, SocketWatcher, WRITABLE } from '../native/socket-watcher.js';
import { identityFailure, type Identity } from './identity.js';
import { InternalJob } from './internal-job.js';
import type { Job, StatementResult } from './job.js';
import type { Libpq } from './libpq-addon.js';
import { isDetail, readOutcome } from './result.js';
import { connectionFailure, failureOf, type SqlFailure } from './sql-failure.js';
import { StatementCache } from './statement-cache.js';

/** Statements kept prepared on one connection. */
const PREPARED_LIMIT = 200;

/** Statements that set an identity: more than there are, so that none is ever evicted. */
const PRESET_LIMIT = 10;

/** A connection that received a result larger than this (bytes) is not kept: libpq never gives its buffer back. */
const BUFFER_KEPT = 8 << 20;

/** Command tags of what would outlive the statement; scripts are refused before, this is the second lock. */
const STATEFUL =
  /^(BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PREPARE|DEALLOCATE|SET|RESET|DISCARD|LISTEN|DECLARE|LOAD)/;

/** What the owner of a connection is told. */
export interface ConnectionOwner {
  /** Jobs ended: there is room. */
  adjust(): void;
  /** The connection is gone; `unstarted` may be run elsewhere. */
  lost(connection: Connection, unstarted: Job[]): void;
  /** Bytes of unfinished results on all connections, changed by `by`; false refuses more. */
  hold(by: number): boolean;
}

/** A job between sending and its sync. */
interface Flight {
  readonly job: Job;
  /** When it was sent, ms. */
  readonly sent: number;
  /** How long it is expected to take, ms. */
  readonly expected: number;
  /** Name that its statement is prepared under; '' for none. */
  readonly name: string;
  /** Whether its Parse is in its segment. */
  readonly preparing: boolean;
  /** Name of the statement that sets its identity; '' when that has none, or there is none. */
  readonly preset: string;
  /** Whether the Parse of that one is in its segment. */
  readonly presetting: boolean;
  /** Whether it met the transaction that one before it had failed in, so that nothing of it runs. */
  spoiled: boolean;
}

export interface ConnectionLimits {
  /** Bytes of one result. */
  readonly maxResult: number;
  readonly prepared: boolean;
}

export class Connection {
  /** Runs one statement that is slow or unknown, or what nobody waits for: nothing else is to be sent. */
  exclusive = false;
  /** How long the jobs on it are expected to take together, ms. */
  load = 0;
  /** When its last job ended, ms. */
  idleSince: number = performance.now();
  readonly #pq: Libpq;
  readonly #pipeline: Pipeline;
  readonly #owner: ConnectionOwner;
  readonly #limits: ConnectionLimits;
  readonly #watcher: SocketWatcher;
  readonly #statements = new StatementCache(PREPARED_LIMIT);
  readonly #presets = new StatementCache(PRESET_LIMIT, 'i');
  readonly #flights: Flight[] = [];
  #dirty = false;
  #writing = false;
  #closed = false;
  #retire = false;
  /** What PostgreSQL was asked to cancel. */
  #cancelled: Job | undefined;
  /** Bytes received of the result at the head. */
  #received = 0;
  /** When the job at the head came to the head, ms. */
  #headSince = 0;

  constructor(pq: Libpq, owner: ConnectionOwner, limits: ConnectionLimits) {
    this.#pq = pq;
    this.#owner = owner;
    this.#limits = limits;
    const fd = pq.socket();
    this.#pipeline = new Pipeline(fd, limits.maxResult);
    this.#watcher = new SocketWatcher(fd, (readable, _writable, arrived) => {
      this.#ready(readable, arrived);
    });
    this.#watcher.watch(READABLE);
  }

  /** Jobs sent and not answered. */
  get pending(): number {
    return this.#flights.length;
  }

  get open(): boolean {
    return !this.#closed;
  }

  /** headTime is how long the job at the head has been running, in milliseconds at time `now`. */
  headTime(now: number): number {
    return this.#flights.length === 0 ? 0 : now - this.#headSince;
  }

  /** head is the job that is running, if any. */
  get head(): Job | undefined {
    return this.#flights[0]?.job;
  }

  /**
   * cancelAbandoned asks PostgreSQL to stop what runs, if nobody waits for anything on this connection. It takes nothing
   * more and is closed after the last of them: nobody knows when the request arrives, and it must hit no other.
   */
  cancelAbandoned(): void {
    const { head } = this;
    // Asked once for each: where the server cannot be reached, a request takes minutes to fail.
    if (head === this.#cancelled || !this.#flights.every(({ job }) => job.abandoned)) return;
    this.#cancelled = head;
    this.exclusive = true;
    this.#retire = true;
    this.#pq.cancel();
  }

  /** send puts a job on the wire. The bytes leave with the next `flush`, which the owner calls at the end of its turn. */
  send(job: Job, now: number): void {
    this.#dirty = true;
    const { statement, values, identity } = job;
    if (job.readOnly) this.#pipeline.readOnly();
    // Should it not go out, the pipeline does not send what stands behind it either.
    const known = identity && this.#presets.find(identity.statement);
    const preset = identity === undefined ? '' : this.#sendIdentity(identity);
    if (job.parsed !== undefined) this.#pipeline.prepare('', job.parsed);
    let name = this.#statements.find(statement) ?? '';
    const preparing =
      name === '' && this.#limits.prepared && statement.recurs && this.#statements.hasRoom();
    if (preparing) {
      name = this.#statements.add(statement);
      this.#pipeline.prepare(name, statement.sql);
    }
    const sent = this.#pipeline.send(name, statement.sql, values, job.form === 'value');
    if (this.#flights.length === 0) this.#headSince = now;
    job.attempts++;
    const expected = job.cost?.time ?? 0;
    this.load += expected;
    this.#flights.push({
      job,
      sent: now,
      expected,
      name,
      preparing,
      preset,
      presetting: preset !== '' && known === undefined,
      spoiled: false,
    });
    if (!sent) {
      this.#lose(connectionFailure('the statement could not be sent'));
      return;
    }
    const evicted = preparing ? this.#statements.evict() : undefined;
    if (evicted !== undefined) this.#deallocate(evicted, now);
  }

  /** Writes what sets an identity, into the segment of the statement sent next; gives the name it is prepared under. */
  #sendIdentity({ statement, values }: Identity): string {
    let name = this.#presets.find(statement) ?? '';
    if (name === '' && this.#limits.prepared) {
      name = this.#presets.add(statement);
      this.#pipeline.prepare(name, statement.sql);
    }
    this.#pipeline.precede(name, statement.sql, values);
    return name;
  }

  /** flush sends what was written since the last one, as one packet where the transport allows it. */
  flush(): void {
    if (!this.#dirty || this.#closed) return;
    const rest = this.#pipeline.flush();
    this.#dirty = rest === 1;
    if (rest < 0) this.#lose(connectionFailure('the connection was lost while sending'));
    else if (rest === 1) this.#watch(true);
    else if (this.#writing) this.#watch(false);
  }

  /** close ends the connection; jobs on it fail. */
  close(): void {
    if (!this.#closed) this.#lose(connectionFailure('the connection was closed', '57P01'));
  }

  #ready(readable: boolean, arrived: number): void {
    if (this.#closed) return;
    if (this.#writing) this.flush();
    if (readable && this.open) this.#receive(arrived);
  }

  #receive(arrived: number): void {
    if (!this.#count(arrived)) {
      this.#refuse(tooMuch());
      return;
    }
    if (this.#received > this.#limits.maxResult + SLACK && this.#flights.length > 0) {
      this.#refuse(tooLarge(this.#limits.maxResult));
      return;
    }
    const outcomes = this.#pipeline.receive();
    if (outcomes.length === 0) return;
    const now = performance.now();
    for (const outcome of outcomes) {
      this.#settle(outcome, now);
      if (this.#closed) return;
    }
    // A large result: much of it may have come since it was counted, and none of that is of the one behind it.
    if (outcomes.some(mayBeLarge)) this.#watcher.passed();
    this.#owner.adjust();
  }

  /** Counts bytes of the result at the head; false when it is a large one and too many are held already. */
  #count(bytes: number): boolean {
    if (bytes <= 0) return true;
    this.#received += bytes;
    return this.#owner.hold(bytes) || this.#received <= SMALL;
  }

  /** The flight at the head is over, or the connection is lost. */
  #settle(outcome: Outcome, now: number): void {
    if (isDetail(outcome) && outcome.lost) {
      if (outcome.copy) this.#refuse(notAllowed('COPY is not allowed in a script'));
      else this.#lost(outcome.failure && failureOf(outcome.failure), outcome.before ?? 0);
      return;
    }
    const flight = this.#flights[0]!;
    const { job } = flight;
    const read = this.#read(job, outcome);
    if (this.#closed) return;
    // That of a failed read-only job is ended below, and is all that those behind it have met.
    const failed = isDetail(outcome) && outcome.failure !== undefined;
    const aborted = failed && (job.readOnly === true || job instanceof RollBack);
    if (isDetail(outcome) && outcome.transaction && !flight.spoiled && !aborted) {
      this.#refuse(notAllowed('a script may not leave a transaction open'));
      return;
    }
    this.#flights.shift();
    this.load -= flight.expected;
    if (this.#received > BUFFER_KEPT) this.#retire = true;
    this.#owner.hold(-this.#received);
    this.#received = 0;
    job.cost?.record(now - Math.max(this.#headSince, flight.sent));
    this.#headSince = now;
    if (this.#flights.length === 0) {
      this.exclusive = this.#retire;
      this.load = 0;
      this.idleSince = now;
    }
    if (aborted && !flight.spoiled) this.#rollBack(now);
    if ('affected' in read) job.done(read);
    else if (flight.spoiled && 'state' in read && SPOILED.has(read.state)) this.#again(job, now);
    else this.#fail(flight, read, isDetail(outcome) ? (outcome.before ?? 0) : 0, now);
    if (this.#retire && this.#flights.length === 0 && this.open) {
      this.#end();
      this.#owner.lost(this, []);
    }
  }

  /** The connection is lost, perhaps behind a failure of the head, `missing` results before that of its statement. */
  #lost(last: SqlFailure | undefined, missing: number): void {
    const head = this.#flights[0];
    const spoiled = head?.spoiled === true && last !== undefined && SPOILED.has(last.state);
    const failure = last === undefined || spoiled ? connectionFailure(LOST) : last;
    // What the head has failed with is nobody else's: its message may hold what others must not see.
    const common = failure.fatal ? failure : connectionFailure(LOST);
    this.#lose(common, head ? told(head, failure, missing) : failure);
  }

  /** Reads what came of a job. Ends the connection when the job has left a state on it. */
  #read(job: Job, outcome: Outcome): StatementResult | SqlFailure | ServiceError {
    if (isDetail(outcome) && outcome.failure) return failureOf(outcome.failure);
    const result = readOutcome(outcome, job.form);
    if (result === undefined) return tooLarge(this.#limits.maxResult);
    if ('state' in result) return result;
    if (result.tag !== '' && STATEFUL.test(result.tag) && !(job instanceof InternalJob)) {
      const error = notAllowed(`${result.tag} is not allowed in a script`);
      this.#refuse(error);
      return error;
    }
    // While it reads, libpq takes whatever comes; how much a value really is shows only now.
    if (!this.#count((result.value?.length ?? 0) - this.#received)) return tooMuch();
    return result;
  }

  /** Ends a flight that failed, `missing` results before that of its statement, unless nothing ran that may not again. */
  #fail(flight: Flight, failure: SqlFailure | ServiceError, missing: number, now: number): void {
    const { job, name, preset, preparing } = flight;
    if (preparing && missing > 0) this.#statements.remove(job.statement, name);
    const unset = isUnset(flight, missing);
    const stale = isStale(failure) && (unset ? preset !== '' : name !== '');
    // Its name is gone from the server, or its own Parse failed; another may have taken its place by now.
    if (unset && (stale || missing > (preparing ? 2 : 1)))
      this.#presets.remove(job.identity!.statement, preset);
    if (!stale || job.attempts >= 2 || job.abandoned) job.failed(told(flight, failure, missing));
    else if (this.open) this.#renew(job, now);
    else job.failed(connectionFailure(LOST)); // with the ROLLBACK behind it
  }

  /**
   * A prepared statement went stale (its tables changed, a pooler dropped it): nothing ran, so it is prepared anew. The
   * job's own also when it was that of its identity, for what dropped the one has most often dropped both.
   */
  #renew(job: Job, now: number): void {
    const name = this.#statements.find(job.statement);
    if (name !== undefined) this.#statements.remove(job.statement);
    // First the job: should the connection be lost by now, it is among what is lost with it.
    this.send(job, now);
    if (name !== undefined && this.open) this.#deallocate(name, now);
    this.flush();
  }

  /** Ends the transaction that a read-only job has failed in. What is on the wire behind it meets that, and runs after. */
  #rollBack(now: number): void {
    for (const flight of this.#flights) {
      const { job, name, preparing, preset, presetting } = flight;
      flight.spoiled = true;
      // What is sent from now on must not go by names that nothing will be prepared under.
      if (preparing) this.#statements.remove(job.statement, name);
      if (presetting) this.#presets.remove(job.identity!.statement, preset);
    }
    this.send(new RollBack(), now);
    this.flush();
  }

  /** Sends what was spoiled anew: nothing of it has run. */
  #again(job: Job, now: number): void {
    if (job.abandoned && !(job instanceof InternalJob)) {
      job.failed(new ServiceError('timeout'));
      return;
    }
    job.attempts--;
    this.send(job, now);
    this.flush();
  }

  #deallocate(name: string, now: number): void {
    this.send(new InternalJob(`DEALLOCATE ${name}`, []), now);
  }

  /** Fails the job at the head with an error of ours and ends the connection, whose state is not to be trusted. */
  #refuse(error: ServiceError): void {
    this.#lose(connectionFailure('the connection was given up by another request'), error);
  }

  /** Ends the connection. The head may have run; what stands behind it has not begun and, if it only reads, may move. */
  #lose(failure: SqlFailure, headFailure: SqlFailure | ServiceError = failure): void {
    if (this.#closed) return;
    this.#end();
    const unstarted: Job[] = [];
    const flights = this.#flights.splice(0);
    flights.forEach(({ job }, i) => {
      if (i === 0) job.failed(headFailure);
      else if (job.repeatable && job.attempts < 2) unstarted.push(job);
      else job.failed(failure);
    });
    this.#owner.lost(this, unstarted);
  }

  #end(): void {
    this.#closed = true;
    this.#owner.hold(-this.#received);
    this.#received = 0;
    this.#watcher.close();
    this.#pipeline.close();
    this.#pq.finish();
  }

  #watch(writing: boolean): void {
    this.#writing = writing;
    this.#watcher.watch(writing ? READABLE | WRITABLE : READABLE);
  }
}

/** RollBack ends a transaction that has failed. Where it fails itself, when somebody cancels it, that is still open. */
class RollBack extends InternalJob {
  constructor() {
    super('ROLLBACK', []);
  }
}

/** Results up to this size (bytes) are never refused for the sake of others. */
const SMALL = 64 << 10;

/** What the socket may hold of the results that follow: the bytes of a result are known only to within this. */
const SLACK = 8 << 20;

/** Whether it was the identity of a flight that could not be set, when it failed so many results before its own. */
function isUnset({ preparing }: Flight, missing: number): boolean {
  return missing > (preparing ? 1 : 0);
}

/** told is what a job is told of its failure. */
function told<F extends SqlFailure | ServiceError>(
  flight: Flight,
  failure: F,
  missing: number,
): F | ReturnType<typeof identityFailure> {
  const { identity } = flight.job;
  if (identity === undefined || failure instanceof ServiceError || !isUnset(flight, missing))
    return failure;
  return identityFailure(identity, failure);
}

/** Values of a few KiB are strings, and so are command tags. */
function mayBeLarge(outcome: Outcome): boolean {
  return typeof outcome === 'object' && outcome !== null;
}

function isStale(failure: SqlFailure | ServiceError): boolean {
  if (failure instanceof ServiceError) return false;
  return (
    failure.state === '26000' ||
    (failure.state === '0A000' && failure.message.includes('cached plan'))
  );
}

/** SQLSTATEs of what comes to a transaction that has failed, the second where its own name was to be prepared in it. */
const SPOILED: ReadonlySet<string> = new Set(['25P02', '26000']);

const LOST = 'the connection to the database was lost';

function notAllowed(message: string): ServiceError {
  return new ServiceError('statement_not_allowed', message);
}

function tooMuch(): ServiceError {
  return new ServiceError('busy', 'too many large results at one time');
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'result_too_large',
    `result is larger than ${limit} bytes (pg.max_result)`,
  );
}
