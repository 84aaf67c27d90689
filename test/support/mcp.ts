/** Messages to the MCP endpoint of a service, as tests send them by hand. Clients as users have them are in test/mcp/clients. */
import type { Answer, AskOptions, Service } from './service.js';

/** What a call of a tool came to. */
export interface CallResult {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly text: string }[];
}

export interface PostOptions extends AskOptions {
  /** Path and query of the endpoint, `/_mcp` by default. */
  readonly path?: string;
}

/** post sends a message. */
export function post(
  service: Service,
  message: unknown,
  { path = '/_mcp', ...options }: PostOptions = {},
): Promise<Answer> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return service.ask(path, { ...options, method: 'POST', body });
}

/** callTool calls a tool; gives the error of the protocol, with its HTTP status, where there is no result. */
export async function callTool(
  service: Service,
  name: string,
  args: object = {},
  options: PostOptions = {},
): Promise<CallResult> {
  const params = { name, arguments: args };
  const answer = await post(
    service,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    options,
  );
  const { result } = (answer.json ?? {}) as { result?: CallResult };
  return result ?? { isError: true, content: [{ text: `${answer.status} ${answer.text}` }] };
}

/** rowsOf is the rows that a select gives, or what is said instead. */
export async function rowsOf(...call: Parameters<typeof callTool>): Promise<unknown> {
  const { isError, structuredContent, content } = await callTool(...call);
  return isError === true ? content[0]!.text : structuredContent?.['rows'];
}

/** toolNames lists the names of all tools that a caller is offered, from all pages. */
export async function toolNames(service: Service, options: AskOptions = {}): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
    const { json, text } = await post(service, message, options);
    const { result } = json as { result?: { tools: { name: string }[]; nextCursor?: string } };
    if (result === undefined) throw new Error(text);
    names.push(...result.tools.map(({ name }) => name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return names;
}
