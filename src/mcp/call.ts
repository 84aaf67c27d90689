/**
 * One message of a client on its way through a worker: who sent it, and what runs in the database for it, so that it
 * can be stopped when nobody waits any more.
 */
import { callerName } from '../access/caller-name.js';
import { identityOf, type Identity } from '../pg/identity.js';
import type { Job } from '../pg/job.js';
import type { QueryRequest } from '../protocol.js';

export class Call {
  /** As it came: method, message (`query`), packed headers, role and claims. */
  readonly request: QueryRequest;
  /** What its statements run as; undefined: as the user of the connection. */
  readonly identity: Identity | undefined;
  #name: string | undefined;
  #abandoned = false;
  #job: Job | undefined;

  /** `claimSettings` tells whether its statements find the caller's claims in a setting. */
  constructor(request: QueryRequest, claimSettings: boolean) {
    this.request = request;
    this.identity = identityOf(request.role, claimSettings ? request.claims : undefined);
  }

  /** The front end's number. */
  get id(): number {
    return this.request.id;
  }

  /** name is the caller's, empty for one without. */
  get name(): string {
    return (this.#name ??= callerName(this.request.claims));
  }

  /** known tells whether its sender showed a token; one without a name has none to go by, but is somebody. */
  get known(): boolean {
    return this.request.claims !== '';
  }

  /** abandoned tells whether nobody waits for its answer any more; set, it stops what runs for it. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  set abandoned(abandoned: boolean) {
    this.#abandoned = abandoned;
    if (this.#job !== undefined) this.#job.abandoned = abandoned;
  }

  /** runs notes the statement that runs for it. */
  runs(job: Job): void {
    this.#job = job;
    job.abandoned = this.#abandoned;
  }
}
