/**
 * One message of a client in a worker: its caller, and the statement that runs for it, which is cancelled when the
 * client disconnects.
 */
import { scopesInClaims } from '../../access/claims.js';
import { TOOL_CALLS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { identityOf, type Identity } from '../../postgres/statement/identity.js';
import type { Job, Run } from '../../postgres/statement/job.js';
import type { McpRequest } from '../../messages/batch.js';
import { requestIds, type RequestIds, type TraceIds } from '../../observe/trace/trace-context.js';
import { genericToolName, type GenericTool, type NameForm } from './tool-names.js';

export interface CallRun {
  /** The script, or the tool and its table. */
  readonly name: string;
  readonly run: Run;
  /** When it was queued, ms. */
  readonly since: number;
  readonly attempts: number;
}

/** Most statements of a call that are remembered. */
const MOST_RUNS = 32;

const NO_RUNS: readonly CallRun[] = [];

export class McpCall {
  readonly request: McpRequest;
  /** Role and claims for its statements; undefined to use the connection's user. */
  readonly identity: Identity | undefined;
  /** The form of the names of tools that its client sees. */
  readonly form: NameForm;
  /** Its ids, when its spans are kept. */
  trace: TraceIds | undefined;
  /** When it was taken from its batch, ms; undefined when its times are not taken. */
  taken: number | undefined;
  /** What kind of tool it calls, as in metrics; undefined when it calls none. */
  tool: keyof typeof TOOL_CALLS | undefined;
  /** Its statements that took long or failed, or all when its spans are kept. */
  runs: readonly CallRun[] = NO_RUNS;
  #scopes: ReadonlySet<string> | undefined;
  #abandoned = false;
  #job: Job | undefined;

  /** `claimSettings` tells whether statements can read the caller's claims from a setting. */
  constructor(request: McpRequest, claimSettings: boolean, form: NameForm = 'dotted') {
    this.request = request;
    this.form = form;
    this.identity = identityOf(request.role, claimSettings ? request.claims : undefined);
  }

  /** The number of the request in the HTTP process. */
  get id(): number {
    return this.request.id;
  }

  /** What lines of the log about it have. */
  get ids(): RequestIds {
    return requestIds(this.request, this.trace);
  }

  /** The caller's name, empty for a caller without one. */
  get name(): string {
    return this.request.user;
  }

  /** The scopes of the caller's token. Throws SyntaxError for claims that are not JSON. */
  get scopes(): ReadonlySet<string> {
    const { claims } = this.request;
    return (this.#scopes ??= scopesInClaims(claims === '' ? undefined : JSON.parse(claims)));
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

  called(tool: keyof typeof TOOL_CALLS): void {
    counts[TOOL_CALLS[tool]]! += 1;
    this.tool = tool;
  }

  ran(run: CallRun): void {
    if (this.runs.length < MOST_RUNS) this.runs = [...this.runs, run];
  }

  setJob(job: Job): void {
    this.#job = job;
    job.abandoned = this.#abandoned;
  }
}
