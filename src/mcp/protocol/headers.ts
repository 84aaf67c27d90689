/**
 * The headers of a request that MCP uses. Different values of a repeated header are joined with commas, as in HTTP;
 * such a list never matches.
 */

export class McpHeaders {
  /** MCP-Protocol-Version. */
  readonly version: string | undefined;
  /** Mcp-Method. */
  readonly method: string | undefined;
  /** Mcp-Name, undecoded. */
  readonly sentName: string | undefined;

  /** `packed` is in the format of batch.ts. */
  constructor(packed: string) {
    const parts = packed.split('\n');
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const value = parts[i + 1]!;
      if (parts[i] === 'mcp-protocol-version') this.version = joined(this.version, value);
      else if (parts[i] === 'mcp-method') this.method = joined(this.method, value);
      else if (parts[i] === 'mcp-name') this.sentName = joined(this.sentName, value);
    }
  }

  /** The decoded Mcp-Name; undefined if it is absent or its encoding is invalid. */
  get name(): string | undefined {
    return this.sentName === undefined ? undefined : decoded(this.sentName);
  }
}

function joined(before: string | undefined, sent: string): string {
  const value = trimmed(sent);
  return before === undefined || before === value ? value : `${before}, ${value}`;
}

/** A value without surrounding spaces and tabs. */
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

/** The text of a value, which may be marked as base64 of UTF-8; undefined if that is invalid. */
function decoded(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips characters outside the base64 alphabet.
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
