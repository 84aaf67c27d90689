/**
 * The parser of pipelines: declarations, commands and operands, and which variables are visible. Follows Go's
 * text/template/parse/parse.go from `pipeline` on, with the same messages.
 */
import { functionNamed } from './functions.js';
import { nodeText, type CommandNode, type Operand, type PipeNode } from './node.js';
import { characterConstant, complexConstant, numberConstant } from './number.js';
import { unknownFunction } from './parse-hints.js';
import { quote, unquote } from './quote.js';
import type { TokenReader } from './token-reader.js';
import { TokenType } from './token.js';

const T = TokenType;

export class PipelineParser {
  /** How many variables have been declared or assigned so far. */
  declarations = 0;
  readonly #tokens: TokenReader;
  /** The visible variables, and how often each name is among them. */
  readonly #variables: string[] = [];
  readonly #defined = new Map<string, number>();
  /** The function whose first argument is parsed, '' before the first word of a command; undefined elsewhere. */
  #called: string | undefined;

  constructor(tokens: TokenReader) {
    this.#tokens = tokens;
    this.#define('$');
  }

  get visible(): number {
    return this.#variables.length;
  }

  /** forget makes only the first `visible` variables visible. */
  forget(visible: number): void {
    for (const name of this.#variables.splice(visible))
      this.#defined.set(name, this.#defined.get(name)! - 1);
  }

  #define(name: string): void {
    this.#variables.push(name);
    this.#defined.set(name, (this.#defined.get(name) ?? 0) + 1);
  }

  /** parse parses a pipeline and the token behind it; `context` names its place in messages. */
  parse(context: string, end: TokenType): PipeNode {
    const pipe: PipeNode = {
      kind: 'pipe',
      pos: this.#tokens.peekNonSpace().pos,
      assign: false,
      variables: [],
      commands: [],
    };
    while (this.#declaration(pipe, context));
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.type === end) break;
      if (!STARTS_COMMAND.has(token.type)) this.#tokens.unexpected(token, context);
      this.#tokens.backup();
      pipe.commands.push(this.#command());
    }
    if (pipe.commands.length === 0) this.#tokens.fail(`missing value for ${context}`);
    pipe.commands.forEach((command, i) => {
      if (i > 0 && NOT_EXECUTABLE.has(command.args[0]!.kind))
        this.#tokens.fail(`non executable command in pipeline stage ${i + 1}`);
    });
    return pipe;
  }

  /** A variable to declare or assign at the beginning of a pipeline; true if a second one may follow. */
  #declaration(pipe: PipeNode, context: string): boolean {
    const v = this.#tokens.peekNonSpace();
    if (v.type !== T.variable) return false;
    this.#tokens.next();
    // In "$x foo" only the token after the space shows that $x is an argument.
    const after = this.#tokens.peek();
    const next = this.#tokens.peekNonSpace();
    const comma = next.type === T.char && next.value === ',';
    if (next.type === T.assign || next.type === T.declare || comma) {
      this.#tokens.nextNonSpace();
      if (!comma) pipe.assign = next.type === T.assign;
      pipe.variables.push({ kind: 'variable', pos: v.pos, names: [v.value] });
      this.#define(v.value);
      this.declarations++;
      if (!comma) return false;
      if (context !== 'range' || pipe.variables.length >= 2)
        this.#tokens.fail(`too many declarations in ${context}`);
      const { type } = this.#tokens.peekNonSpace();
      if (type !== T.variable && type !== T.rightDelim && type !== T.rightParen)
        this.#tokens.fail('range can only initialize variables');
      return true;
    }
    if (after.type === T.space) this.#tokens.backup3(v, after);
    else this.#tokens.backup2(v);
    return false;
  }

  #command(): CommandNode {
    const command: CommandNode = {
      kind: 'command',
      pos: this.#tokens.peekNonSpace().pos,
      args: [],
    };
    for (;;) {
      this.#tokens.peekNonSpace();
      this.#called = calledBy(command.args);
      const operand = this.#operand();
      if (operand !== undefined) command.args.push(operand);
      const token = this.#tokens.next();
      if (token.type === T.space) continue;
      if (token.type === T.rightDelim || token.type === T.rightParen) this.#tokens.backup();
      else if (token.type !== T.pipe) this.#tokens.unexpected(token, 'operand');
      break;
    }
    if (command.args.length === 0) this.#tokens.fail('empty command');
    return command;
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (node === undefined || this.#tokens.peek().type !== T.field) return node;
    const { pos } = this.#tokens.peek();
    const names: string[] = [];
    while (this.#tokens.peek().type === T.field) names.push(this.#tokens.next().value.slice(1));
    switch (node.kind) {
      case 'field':
        return { kind: 'field', pos, names: [...node.names, ...names] };
      case 'variable':
        return { kind: 'variable', pos, names: [...node.names, ...names] };
      case 'identifier':
      case 'pipe':
      case 'chain':
        return { kind: 'chain', pos, node, names };
      default: {
        const term = nodeText(node);
        return this.#tokens.fail(
          `unexpected . after term ${quote(term)}`,
          'unexpected . after term',
        );
      }
    }
  }

  #term(): Operand | undefined {
    const token = this.#tokens.nextNonSpace();
    const { pos, value } = token;
    switch (token.type) {
      case T.identifier:
        if (functionNamed(value) === undefined) {
          const message = `function ${quote(value)} not defined`;
          this.#tokens.fail(message, message, unknownFunction(value, this.#called));
        }
        return { kind: 'identifier', pos, name: value };
      case T.dot:
        return { kind: 'dot', pos };
      case T.nil:
        return { kind: 'nil', pos };
      case T.variable:
        if (!this.#defined.get(value)) this.#tokens.fail(`undefined variable ${quote(value)}`);
        return { kind: 'variable', pos, names: [value] };
      case T.field:
        return { kind: 'field', pos, names: [value.slice(1)] };
      case T.bool:
        return { kind: 'bool', pos, value: value === 'true' };
      case T.charConstant:
      case T.complex:
      case T.number: {
        const read =
          token.type === T.number
            ? numberConstant
            : token.type === T.complex
              ? complexConstant
              : characterConstant;
        const constant = read(value);
        if (constant.kind === 'error') this.#tokens.fail(constant.message, 'malformed constant');
        return { kind: 'number', pos, text: value, constant };
      }
      case T.leftParen:
        return this.#tokens.nest(
          () => this.parse('parenthesized pipeline', T.rightParen),
          'max expression depth exceeded',
        );
      case T.string:
      case T.rawString:
        return {
          kind: 'string',
          pos,
          quoted: value,
          text: unquote(value) ?? this.#tokens.fail('invalid syntax'),
        };
    }
    this.#tokens.backup();
    return undefined;
  }
}

/** The function that the next operand of a command is the first argument of, '' before the first one. */
function calledBy(args: readonly Operand[]): string | undefined {
  const [head] = args;
  if (head === undefined) return '';
  return args.length === 1 && head.kind === 'identifier' ? head.name : undefined;
}

const STARTS_COMMAND: ReadonlySet<TokenType> = new Set([
  T.bool,
  T.charConstant,
  T.complex,
  T.dot,
  T.field,
  T.identifier,
  T.number,
  T.nil,
  T.rawString,
  T.string,
  T.variable,
  T.leftParen,
]);

const NOT_EXECUTABLE: ReadonlySet<Operand['kind']> = new Set([
  'bool',
  'dot',
  'nil',
  'number',
  'string',
]);
