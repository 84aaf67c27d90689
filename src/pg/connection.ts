/**
 * One libpq connection in pipeline mode, driven by the readiness of its socket and never blocking. Every job is a
 * segment of its own: what it needs (a Parse, when its text is to be prepared, and its execution) and a sync, so that
 * a failure touches no neighbour. Results come back in the order sent. It refuses to live on in a state that a
 * neighbour could notice: an open transaction or a session command ends it.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import { READABLE, setCork, SocketWatcher, WRITABLE } from '../native/socket-watcher.js';
import { InternalJob } from './internal-job.js';
import type { Job, StatementResult } from './job.js';
import type { Libpq } from './libpq-addon.js';
import { readResult } from './result.js';
import { connectionFailure, readFailure, type SqlFailure } from './sql-failure.js';
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
  /** A job ended, or all of them did: there is room. */
  freed(connection: Connection): void;
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
  /** Its script was told before its end that it is slow. */
  blamed: boolean;
  /** The result that comes first is that of its Parse. */
  preparing: boolean;
  readonly prepared: boolean;
  result: StatementResult | undefined;
  failure: SqlFailure | ServiceError | undefined;
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
  readonly #fd: number;
  readonly #owner: ConnectionOwner;
  readonly #limits: ConnectionLimits;
  readonly #watcher: SocketWatcher;
  readonly #statements = new StatementCache(PREPARED_LIMIT);
  readonly #flights: Flight[] = [];
  #dirty = false;
  #corked = false;
  #canCork = true;
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
    this.#fd = pq.socket();
    this.#watcher = new SocketWatcher(this.#fd, (readable, _writable, arrived) => {
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

  /** blameHead tells the script at the head, once, how long its statement takes already. */
  blameHead(time: number): void {
    const head = this.#flights[0];
    if (head === undefined || head.blamed) return;
    head.blamed = true;
    head.job.cost?.record(time);
  }

  /** send puts a job on the wire. The bytes leave with the next `flush`, which the owner calls at the end of its turn. */
  send(job: Job, now: number): void {
    this.#cork();
    this.#dirty = true;
    const { statement, values } = job;
    let name = this.#statements.find(statement);
    let preparing = false;
    let sent = true;
    if (name === undefined && this.#limits.prepared && this.#statements.recurs(statement)) {
      preparing = true;
      name = this.#statements.add(statement);
      sent = this.#pq.sendPrepare(name, statement.sql, 0);
    }
    sent &&=
      name === undefined
        ? this.#pq.sendQueryParams(statement.sql, values)
        : this.#pq.sendQueryPrepared(name, values);
    sent &&= this.#pq.pipelineSync();
    if (this.#flights.length === 0) this.#headSince = now;
    job.attempts++;
    const expected = job.cost?.time ?? 0;
    this.load += expected;
    this.#flights.push({
      job,
      sent: now,
      expected,
      blamed: false,
      preparing,
      prepared: name !== undefined,
      result: undefined,
      failure: undefined,
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
    const rest = this.#pq.flush();
    this.#dirty = rest === 1;
    if (this.#corked) {
      setCork(this.#fd, false);
      this.#corked = false;
    }
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
    if (readable) this.#receive(arrived);
  }

  #receive(arrived: number): void {
    if (!this.#count(arrived)) {
      this.#refuse(tooMuch());
      return;
    }
    const pq = this.#pq;
    const flights = this.#flights;
    if (this.#received > this.#limits.maxResult + SLACK && flights.length > 0) {
      this.#refuse(tooLarge(this.#limits.maxResult));
      return;
    }
    if (!pq.consumeInput()) {
      this.#lose(connectionFailure('the connection to the database was lost'));
      return;
    }
    let now = 0;
    let nothing = 0;
    while (flights.length > 0 && !pq.isBusy()) {
      if (!pq.getResult()) {
        // Between two results comes one null; two in a row mean that libpq has nothing more to give.
        if (++nothing < 2) continue;
        this.#lose(connectionFailure('the connection to the database was lost'));
        return;
      }
      nothing = 0;
      const flight = flights[0]!;
      if (this.#take(flight, pq.resultStatus())) {
        now ||= performance.now();
        this.#settle(flight, now);
      }
      if (this.#closed) return;
    }
    if (flights.length === 0 && pq.socket() < 0) {
      this.#lose(connectionFailure('the connection to the database was lost'));
      return;
    }
    if (now !== 0) this.#owner.freed(this);
  }

  /** Counts bytes of the result at the head; false when it is a large one and too many are held already. */
  #count(bytes: number): boolean {
    if (bytes <= 0) return true;
    this.#received += bytes;
    return this.#owner.hold(bytes) || this.#received <= SMALL;
  }

  /** Takes one result of a flight; true when it was the sync that ends it. */
  #take(flight: Flight, status: string): boolean {
    switch (status) {
      case 'PGRES_PIPELINE_SYNC':
        return true;
      case 'PGRES_TUPLES_OK':
      case 'PGRES_COMMAND_OK':
        if (flight.preparing) {
          flight.preparing = false;
          return false;
        }
        this.#complete(flight, status === 'PGRES_TUPLES_OK');
        return false;
      case 'PGRES_PIPELINE_ABORTED':
        return false;
      case 'PGRES_FATAL_ERROR':
      case 'PGRES_BAD_RESPONSE': {
        const failure = readFailure(this.#pq);
        flight.failure ??= failure;
        flight.result = undefined;
        if (failure.fatal || this.#pq.socket() < 0) this.#lose(failure);
        return false;
      }
      case 'PGRES_EMPTY_QUERY':
        flight.failure ??= { state: '42601', message: 'the statement is empty', fatal: false };
        return false;
      default:
        this.#refuse(new ServiceError('statement_not_allowed', 'COPY is not allowed in a script'));
        return false;
    }
  }

  #complete(flight: Flight, tuples: boolean): void {
    const { job } = flight;
    if (!tuples && !(job instanceof InternalJob)) {
      const tag = this.#pq.cmdStatus();
      if (STATEFUL.test(tag)) {
        this.#refuse(
          new ServiceError('statement_not_allowed', `${tag} is not allowed in a script`),
        );
        return;
      }
    }
    flight.result = readResult(this.#pq, job.form, tuples, this.#limits.maxResult);
    if (flight.result === undefined) flight.failure ??= tooLarge(this.#limits.maxResult);
    // While it reads, libpq takes whatever comes; how much a value really is shows only now.
    else if (!this.#count((flight.result.value?.length ?? 0) - this.#received)) {
      flight.failure ??= tooMuch();
    }
  }

  /** The sync of the flight at the head has come: it is over. */
  #settle(flight: Flight, now: number): void {
    this.#flights.shift();
    const { job, failure, result } = flight;
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
      this.#pq.getResult(); // lets libpq notice that its queue is empty; there is no result
      const status = this.#pq.transactionStatus();
      if (status !== IDLE) {
        this.#end();
        if (status === IN_TRANSACTION || status === IN_FAILED_TRANSACTION) {
          job.failed(
            new ServiceError('statement_not_allowed', 'a script may not leave a transaction open'),
          );
        } else {
          job.failed(connectionFailure('the connection to the database was lost'));
        }
        this.#owner.lost(this, []);
        return;
      }
    }
    if (flight.preparing) this.#statements.remove(job.statement); // its Parse failed
    if (result !== undefined && failure === undefined) job.done(result);
    else if (failure !== undefined && this.#renewable(flight, failure)) this.#renew(job, now);
    else job.failed(failure ?? connectionFailure('the database sent no result'));
    if (this.#retire && this.#flights.length === 0 && !this.#closed) {
      this.#end();
      this.#owner.lost(this, []);
    }
  }

  #renewable({ job, prepared }: Flight, failure: SqlFailure | ServiceError): boolean {
    return prepared && isStale(failure) && job.attempts < 2 && !job.abandoned;
  }

  /** A prepared statement went stale (its tables changed): nothing ran, so it is prepared anew. */
  #renew(job: Job, now: number): void {
    const name = this.#statements.find(job.statement);
    if (name !== undefined) {
      this.#statements.remove(job.statement);
      this.#deallocate(name, now);
    }
    this.send(job, now);
    this.flush();
  }

  #deallocate(name: string, now: number): void {
    this.send(new InternalJob(`DEALLOCATE ${name}`, []), now);
  }

  /** Fails the job at the head with an error of ours and ends the connection, whose state is not to be trusted. */
  #refuse(error: ServiceError): void {
    const head = this.#flights[0];
    if (head !== undefined) head.failure = error;
    this.#lose(connectionFailure('the connection was given up by another request'));
  }

  /** Ends the connection. The head may have run; what stands behind it has not begun and, if it only reads, may move. */
  #lose(failure: SqlFailure): void {
    if (this.#closed) return;
    this.#end();
    const unstarted: Job[] = [];
    const flights = this.#flights.splice(0);
    flights.forEach((flight, i) => {
      const { job } = flight;
      if (i === 0) job.failed(flight.failure ?? failure);
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
    this.#pq.finish();
  }

  #cork(): void {
    if (this.#corked || !this.#canCork) return;
    this.#corked = this.#canCork = setCork(this.#fd, true);
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

/** libpq's PQTRANS_ values. */
const IDLE = 0;
const IN_TRANSACTION = 2;
const IN_FAILED_TRANSACTION = 3;

function isStale(failure: SqlFailure | ServiceError): boolean {
  if (failure instanceof ServiceError) return false;
  return (
    failure.state === '26000' ||
    (failure.state === '0A000' && failure.message.includes('cached plan'))
  );
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
