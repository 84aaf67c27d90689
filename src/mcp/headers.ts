/**
 * The headers of a request that MCP looks at. One that came several times with different values is a list of them, as
 * HTTP has it, which is never what is wanted.
 */

/** McpHeaders are those of one request. */
export class McpHeaders {
  /** MCP-Protocol-Version. */
  readonly version: string | undefined;
  /** Mcp-Method. */
  readonly method: string | undefined;
  /** Mcp-Name, as it was sent. */
  readonly sentName: string | undefined;

  /** `packed` has them as protocol.ts says. */
  constructor(packed: string) {
    const parts = packed.split('\n');
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const value = parts[i + 1]!;
      if (parts[i] === 'mcp-protocol-version') this.version = joined(this.version, value);
      else if (parts[i] === 'mcp-method') this.method = joined(this.method, value);
      else if (parts[i] === 'mcp-name') this.sentName = joined(this.sentName, value);
    }
  }

  /** name is what Mcp-Name stands for; undefined when it is not there, or in an encoding that is wrong. */
  get name(): string | undefined {
    return this.sentName === undefined ? undefined : decoded(this.sentName);
  }
}

function joined(before: string | undefined, sent: string): string {
  const value = trimmed(sent);
  return before === undefined || before === value ? value : `${before}, ${value}`;
}

/** trimmed is a value without the spaces and tabs around it. */
function trimmed(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** decoded is the text of a value that may be base64 of UTF-8, marked as such; undefined when that is wrong. */
function decoded(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Buffer reads on over what is not of the alphabet.
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
