/** A path declared by `-- @path`; `{name}` as a segment is a parameter. */
export interface RoutePattern {
  /** Methods in upper case; those of the script's verb when the directive names none. */
  readonly methods: readonly string[];
  /** As declared, for messages. */
  readonly path: string;
  readonly segments: readonly (string | { readonly parameter: string })[];
}

const SYNTAX =
  'it takes a path such as /v1/orders/{id}, and before it a method if not all are meant';
const PARAMETER = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** The characters of a segment that need no escape (RFC 3986), except braces. */
const LITERAL = /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/;
/** Names that mean something else in a template. */
const RESERVED: ReadonlySet<string> = new Set(['header', '_param', '_header']);

/** parseRoute reads `[METHOD] /path/{name}`; `allowed` are the methods of the script's verb. Throws SyntaxError. */
export function parseRoute(text: string, allowed: readonly string[]): RoutePattern {
  const parts = text.split(/\s+/);
  const path = parts.pop()!;
  if (parts.length > 1 || !path.startsWith('/')) throw new SyntaxError(SYNTAX);
  const [method] = parts;
  const methods = method === undefined ? allowed : methodsOf(method, allowed);
  const segments = path.slice(1).split('/').map(segmentOf);
  const names = segments.flatMap((one) => (typeof one === 'string' ? [] : [one.parameter]));
  if (new Set(names).size < names.length)
    throw new SyntaxError('two segments have the same parameter');
  return { methods, path, segments };
}

function methodsOf(method: string, allowed: readonly string[]): readonly string[] {
  if (!allowed.includes(method))
    throw new SyntaxError(`the script has ${allowed.join(', ')}, not ${method}`);
  // Every resource that has GET has HEAD.
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function segmentOf(text: string): string | { readonly parameter: string } {
  const parameter = PARAMETER.exec(text)?.[1];
  if (parameter !== undefined) {
    if (RESERVED.has(parameter)) throw new SyntaxError(`{${parameter}} is a reserved name`);
    return { parameter };
  }
  if (text === '') throw new SyntaxError('a segment of the path is empty');
  if (text === '.' || text === '..' || !LITERAL.test(text))
    throw new SyntaxError(
      `the segment ${JSON.stringify(text)} is neither {name} nor letters, digits and signs that need no escape`,
    );
  return text;
}
