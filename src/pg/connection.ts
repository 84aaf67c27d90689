/**
 * One libpq connection in pipeline mode, driven by the readiness of its socket and never blocking. Every job is a
 * segment of its own: what it needs (a Parse, when its text is to be prepared, and its execution) and a sync, so that
 * a failure touches no neighbour. Results come back in the order sent. It refuses to live on in a state that a
 * neighbour could notice: an open transaction or a session command ends it.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import { Pipeline, type Outcome } from '../native/pipeline.js';
import { READABLE, SocketWatcher, WRITABLE } from '../native/socket-watcher.js';
import { InternalJob } from './internal-job.js';
import type { Job, StatementResult } from './job.js';
import type { Libpq } from './libpq-addon.js';
import { isDetail, readOutcome } from './result.js';
import { connectionFailure, failureOf, type SqlFailure } from './sql-failure.js';
import { StatementCache } from './statement-cache.js';

/** Statements kept prepared on one connection. */
const PREPARED_LIMIT = 200;

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
  readonly prepared: boolean;
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
    const { statement, values } = job;
    let name = this.#statements.find(statement) ?? '';
    const preparing =
      name === '' && this.#limits.prepared && statement.recurs && this.#statements.hasRoom();
    let sent = true;
    if (preparing) {
      name = this.#statements.add(statement);
      sent = this.#pipeline.prepare(name, statement.sql);
    }
    sent = this.#pipeline.send(name, statement.sql, values, job.form === 'value') && sent;
    if (this.#flights.length === 0) this.#headSince = now;
    job.attempts++;
    const expected = job.cost?.time ?? 0;
    this.load += expected;
    this.#flights.push({
      job,
      sent: now,
      expected,
      prepared: name !== '',
    });
    if (!sent) {
      this.#lose(connectionFailure('the statement could not be sent'));
      return;
    }
    const evicted = preparing ? this.#statements.evict() : undefined;
    if (evicted !== undefined) this.#deallocate(evicted, now);
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
      else this.#lose(outcome.failure ? failureOf(outcome.failure) : connectionFailure(LOST));
      return;
    }
    const flight = this.#flights[0]!;
    const { job } = flight;
    const read = this.#read(job, outcome);
    if (this.#closed) return;
    if (isDetail(outcome) && outcome.transaction) {
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
    if (isDetail(outcome) && outcome.prepared === false) this.#statements.remove(job.statement);
    if ('affected' in read) job.done(read);
    else if (this.#renewable(flight, read)) this.#renew(job, now);
    else job.failed(read);
    if (this.#retire && this.#flights.length === 0 && this.open) {
      this.#end();
      this.#owner.lost(this, []);
    }
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

  #renewable({ job, prepared }: Flight, failure: SqlFailure | ServiceError): boolean {
    return prepared && isStale(failure) && job.attempts < 2 && !job.abandoned;
  }

  /** A prepared statement went stale (its tables changed): nothing ran, so it is prepared anew. */
  #renew(job: Job, now: number): void {
    const name = this.#statements.find(job.statement);
    if (name !== undefined) this.#statements.remove(job.statement);
    // First the job: should the connection be lost by now, it is among what is lost with it.
    this.send(job, now);
    if (name !== undefined && this.open) this.#deallocate(name, now);
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

/** Results up to this size (bytes) are never refused for the sake of others. */
const SMALL = 64 << 10;

/** What the socket may hold of the results that follow: the bytes of a result are known only to within this. */
const SLACK = 8 << 20;

function isStale(failure: SqlFailure | ServiceError): boolean {
  if (failure instanceof ServiceError) return false;
  return (
    failure.state === '26000' ||
    (failure.state === '0A000' && failure.message.includes('cached plan'))
  );
}

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
