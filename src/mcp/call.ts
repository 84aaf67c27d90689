/**
 * One message of a client in a worker: its caller, and the statement that runs for it, which is cancelled when the
 * client disconnects.
 */
import { callerName } from '../access/claims.js';
import { identityOf, type Identity } from '../pg/identity.js';
import type { Job } from '../pg/job.js';
import type { QueryRequest } from '../batch.js';
import { genericToolName, type GenericTool, type NameForm } from './tool-names.js';

export class McpCall {
  /** The request: method, message (`query`), packed headers, role and claims. */
  readonly request: QueryRequest;
  /** Role and claims for its statements; undefined: those of the connection's user. */
  readonly identity: Identity | undefined;
  /** The form of the names of tools that its client sees. */
  readonly form: NameForm;
  #name: string | undefined;
  #abandoned = false;
  #job: Job | undefined;

  /** `claimSettings` tells whether statements can read the caller's claims from a setting. */
  constructor(request: QueryRequest, claimSettings: boolean, form: NameForm = 'dotted') {
    this.request = request;
    this.form = form;
    this.identity = identityOf(request.role, claimSettings ? request.claims : undefined);
  }

  /** The number of the request in the HTTP process. */
  get id(): number {
    return this.request.id;
  }

  /** The caller's name, empty for a caller without one. */
  get name(): string {
    return (this.#name ??= callerName(this.request.claims));
  }

  /** named is the name of a generic tool, as the client sees it. */
  named(tool: GenericTool): string {
    return genericToolName(this.form, tool);
  }

  /** Whether the request had a valid token; a token without a name counts. */
  get authenticated(): boolean {
    return this.request.claims !== '';
  }

  /** Whether the client has left. Setting it cancels the running statement. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  set abandoned(abandoned: boolean) {
    this.#abandoned = abandoned;
    if (this.#job !== undefined) this.#job.abandoned = abandoned;
  }

  setJob(job: Job): void {
    this.#job = job;
    job.abandoned = this.#abandoned;
  }
}
