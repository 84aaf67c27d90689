/**
 * The parser: converts tokens to trees, one for the template and one for each define and block in it. Follows Go's
 * text/template/parse/parse.go, with the same messages. Throws TemplateError of stage parse for whatever Go rejects, and
 * for nesting beyond the limit.
 */
import { lineOf, positionOf } from '../position.js';
import { TemplateError } from './errors.js';
import { functionNamed } from './functions.js';
import { describe, Lexer, TokenType, type Token } from './lexer.js';
import { MAX_NESTING } from './limits.js';
import {
  nodeText,
  type Arm,
  type BranchNode,
  type CommandNode,
  type ListNode,
  type Operand,
  type PipeNode,
  type StatementNode,
  type TemplateNode,
} from './node.js';
import { missingEnd, unknownFunction, type OpenBlock } from './parse-hints.js';
import { characterConstant, complexConstant, numberConstant } from './number.js';
import { quote, unquote } from './quote.js';

const T = TokenType;

/** State that the parsers of all trees of a text share. */
interface Source {
  readonly name: string;
  readonly text: string;
  readonly lexer: Lexer;
  readonly trees: Map<string, ListNode>;
  /** From the outermost to the innermost. */
  readonly open: OpenBlock[];
  depth: number;
  declarations: number;
}

/** parse returns the trees of a text by name; the main one has `name`. */
export function parse(name: string, text: string): ReadonlyMap<string, ListNode> {
  const trees = new Map<string, ListNode>();
  const source = { name, text, lexer: new Lexer(text), trees, open: [], depth: 0, declarations: 0 };
  new Parser(source).parseTop();
  return trees;
}

/** The end of a list: `{{end}}`, or `{{else}}`, possibly followed by if or with. */
interface Stop {
  readonly kind: 'end' | 'else';
  readonly pos: number;
}
type Step = StatementNode | Stop;

const isStop = (step: Step): step is Stop => step.kind === 'end' || step.kind === 'else';

class Parser {
  readonly #source: Source;
  /** The visible variables, and how often each name is among them. */
  readonly #variables: string[] = [];
  readonly #defined = new Map<string, number>();
  #rangeDepth = 0;
  /** The offset of the action being parsed, or -1. */
  #actionPos = -1;
  /** The function whose first argument is parsed, '' before the first word of a command; undefined elsewhere. */
  #called: string | undefined;
  /** Three tokens of look-ahead; the last one lexed is the first. */
  readonly #tokens: [Token, Token, Token];
  #peeked = 0;

  constructor(source: Source) {
    this.#source = source;
    const none = { type: T.eof, pos: 0, value: '' };
    this.#tokens = [none, none, none];
    this.#define('$');
  }

  #define(name: string): void {
    this.#variables.push(name);
    this.#defined.set(name, (this.#defined.get(name) ?? 0) + 1);
  }

  #forget(count: number): void {
    for (const name of this.#variables.splice(count))
      this.#defined.set(name, this.#defined.get(name)! - 1);
  }

  // Tokens.

  #next(): Token {
    if (this.#peeked > 0) this.#peeked--;
    else this.#tokens[0] = this.#source.lexer.next();
    return this.#tokens[this.#peeked]!;
  }

  #peek(): Token {
    if (this.#peeked > 0) return this.#tokens[this.#peeked - 1]!;
    this.#peeked = 1;
    return (this.#tokens[0] = this.#source.lexer.next());
  }

  #backup(): void {
    this.#peeked++;
  }

  #backup2(first: Token): void {
    this.#tokens[1] = first;
    this.#peeked = 2;
  }

  #nextNonSpace(): Token {
    let token = this.#next();
    while (token.type === T.space) token = this.#next();
    return token;
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace();
    this.#backup();
    return token;
  }

  #expect(type: TokenType, context: string): Token {
    const token = this.#nextNonSpace();
    return token.type === type ? token : this.#unexpected(token, context);
  }

  // Errors.

  #fail(message: string, safe: string = message, hint?: string): never {
    const { name, text } = this.#source;
    const { pos } = this.#tokens[0];
    const place = `template: ${name}:${lineOf(text, pos)}: `;
    const position = positionOf(text, pos);
    throw new TemplateError('parse', name, position, place + message, place + safe, hint);
  }

  #unexpected(token: Token, context: string): never {
    if (token.type !== T.error)
      this.#fail(
        `unexpected ${describe(token)} in ${context}`,
        `unexpected ${describe(token, true)} in ${context}`,
      );
    let extra = '';
    const { name, text } = this.#source;
    const line = this.#actionPos < 0 ? 0 : lineOf(text, this.#actionPos);
    if (line !== 0 && line !== lineOf(text, token.pos)) {
      const place = `action started at ${name}:${line}`;
      extra = token.value.endsWith(' action') ? place.slice('action'.length) : ` in ${place}`;
    }
    this.#fail(token.value + extra);
  }

  #nest<R>(parse: () => R, message: string): R {
    if (this.#source.depth >= MAX_NESTING) this.#fail(message);
    this.#source.depth++;
    const result = parse();
    this.#source.depth--;
    return result;
  }

  // Statements.

  /** parseTop parses the whole text, defines included, and adds its tree. */
  parseTop(): void {
    const list: ListNode = { kind: 'list', pos: this.#peek().pos, nodes: [] };
    while (this.#peek().type !== T.eof) {
      if (this.#peek().type === T.leftDelim) {
        const delim = this.#next();
        if (this.#nextNonSpace().type === T.define) {
          new Parser(this.#source).#parseDefinition(delim.pos);
          continue;
        }
        this.#backup2(delim);
      }
      const step = this.#textOrAction();
      if (isStop(step)) this.#fail(`unexpected {{${step.kind}}}`);
      list.nodes.push(step);
    }
    this.#add(this.#source.name, list);
  }

  #parseDefinition(pos: number): void {
    const context = 'define clause';
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    this.#expect(T.rightDelim, context);
    this.#add(name, this.#body(context, { keyword: 'define', pos }));
  }

  /** A list that must end with `{{end}}`. */
  #body(context: string, block: OpenBlock): ListNode {
    this.#source.open.push(block);
    const [list, stop] = this.#itemList();
    this.#source.open.pop();
    if (stop.kind !== 'end') this.#fail(`unexpected {{${stop.kind}}} in ${context}`);
    return list;
  }

  #add(name: string, list: ListNode): void {
    const { trees } = this.#source;
    const old = trees.get(name);
    if (old === undefined || isEmpty(old)) trees.set(name, list);
    else if (!isEmpty(list)) this.#fail(`template: multiple definition of template ${quote(name)}`);
  }

  #itemList(): [ListNode, Stop] {
    const list: ListNode = { kind: 'list', pos: this.#peekNonSpace().pos, nodes: [] };
    while (this.#peekNonSpace().type !== T.eof) {
      const step = this.#textOrAction();
      if (isStop(step)) return [list, step];
      list.nodes.push(step);
    }
    const { text, open } = this.#source;
    const message = 'unexpected EOF';
    return this.#fail(message, message, missingEnd(text, open.at(-1)));
  }

  #textOrAction(): Step {
    const token = this.#nextNonSpace();
    if (token.type === T.text) return { kind: 'text', pos: token.pos, text: token.value };
    if (token.type !== T.leftDelim) this.#unexpected(token, 'input');
    this.#actionPos = token.pos;
    const step = this.#action();
    this.#actionPos = -1;
    return step;
  }

  #action(): Step {
    const token = this.#nextNonSpace();
    switch (token.type) {
      case T.block:
        return this.#block();
      case T.break:
      case T.continue:
        return this.#jump(token, token.type === T.break ? 'break' : 'continue');
      case T.else: {
        const next = this.#peekNonSpace();
        if (next.type === T.if || next.type === T.with) return { kind: 'else', pos: next.pos };
        return { kind: 'else', pos: this.#expect(T.rightDelim, 'else').pos };
      }
      case T.end:
        return { kind: 'end', pos: this.#expect(T.rightDelim, 'end').pos };
      case T.if:
        return this.#control('if');
      case T.range:
        return this.#control('range');
      case T.with:
        return this.#control('with');
      case T.template:
        return this.#template();
    }
    this.#backup();
    const { pos } = this.#peek();
    return { kind: 'action', pos, pipe: this.#pipeline('command', T.rightDelim) };
  }

  #jump(token: Token, kind: 'break' | 'continue'): StatementNode {
    const next = this.#nextNonSpace();
    if (next.type !== T.rightDelim) this.#unexpected(next, `{{${kind}}}`);
    if (this.#rangeDepth === 0) this.#fail(`{{${kind}}} outside {{range}}`);
    return { kind, pos: token.pos };
  }

  #control(kind: BranchNode['kind']): BranchNode {
    const { open } = this.#source;
    open.push({ keyword: kind, pos: this.#actionPos });
    const node = this.#nest((): BranchNode => {
      const declared = this.#source.declarations;
      const visible = this.#variables.length;
      const arms: Arm[] = [];
      let otherwise: ListNode | undefined;
      for (;;) {
        const pipe = this.#pipeline(kind, T.rightDelim);
        if (kind === 'range') this.#rangeDepth++;
        const [list, stop] = this.#itemList();
        if (kind === 'range') this.#rangeDepth--;
        arms.push({ pos: pipe.pos, pipe, list });
        if (stop.kind === 'end') break;
        const next = kind === 'range' ? undefined : this.#peek().type;
        if ((kind === 'if' && next === T.if) || (kind === 'with' && next === T.with)) {
          this.#next();
          continue;
        }
        const [rest, last] = this.#itemList();
        if (last.kind !== 'end') this.#fail(`expected end; found {{${last.kind}}}`);
        otherwise = rest;
        break;
      }
      this.#forget(visible);
      const declares = this.#source.declarations > declared;
      return { kind, pos: arms[0]!.pos, arms, otherwise, declares };
    }, `exceeded maximum nesting depth (${MAX_NESTING})`);
    open.pop();
    return node;
  }

  #block(): TemplateNode {
    const context = 'block clause';
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, T.rightDelim);
    const block = { keyword: 'block', pos: this.#actionPos };
    const inner = new Parser(this.#source);
    inner.#nest(() => {
      inner.#add(name, inner.#body(context, block));
    }, `exceeded maximum nesting depth (${MAX_NESTING})`);
    return { kind: 'template', pos: token.pos, name, pipe };
  }

  #template(): TemplateNode {
    const context = 'template clause';
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    let pipe: PipeNode | undefined;
    if (this.#nextNonSpace().type !== T.rightDelim) {
      this.#backup();
      pipe = this.#pipeline(context, T.rightDelim);
    }
    return { kind: 'template', pos: token.pos, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== T.string && token.type !== T.rawString) this.#unexpected(token, context);
    return unquote(token.value) ?? this.#fail('invalid syntax');
  }

  // Expressions.

  #pipeline(context: string, end: TokenType): PipeNode {
    const pipe: PipeNode = {
      kind: 'pipe',
      pos: this.#peekNonSpace().pos,
      assign: false,
      variables: [],
      commands: [],
    };
    while (this.#declaration(pipe, context));
    for (;;) {
      const token = this.#nextNonSpace();
      if (token.type === end) break;
      if (!STARTS_COMMAND.has(token.type)) this.#unexpected(token, context);
      this.#backup();
      pipe.commands.push(this.#command());
    }
    if (pipe.commands.length === 0) this.#fail(`missing value for ${context}`);
    pipe.commands.forEach((command, i) => {
      if (i > 0 && NOT_EXECUTABLE.has(command.args[0]!.kind))
        this.#fail(`non executable command in pipeline stage ${i + 1}`);
    });
    return pipe;
  }

  /** A variable to declare or assign at the beginning of a pipeline; true if a second one may follow. */
  #declaration(pipe: PipeNode, context: string): boolean {
    const v = this.#peekNonSpace();
    if (v.type !== T.variable) return false;
    this.#next();
    // In "$x foo" only the token after the space shows that $x is an argument.
    const after = this.#peek();
    const next = this.#peekNonSpace();
    const comma = next.type === T.char && next.value === ',';
    if (next.type === T.assign || next.type === T.declare || comma) {
      this.#nextNonSpace();
      if (!comma) pipe.assign = next.type === T.assign;
      pipe.variables.push({ kind: 'variable', pos: v.pos, names: [v.value] });
      this.#define(v.value);
      this.#source.declarations++;
      if (!comma) return false;
      if (context !== 'range' || pipe.variables.length >= 2)
        this.#fail(`too many declarations in ${context}`);
      const { type } = this.#peekNonSpace();
      if (type !== T.variable && type !== T.rightDelim && type !== T.rightParen)
        this.#fail('range can only initialize variables');
      return true;
    }
    if (after.type === T.space) {
      this.#tokens[1] = after;
      this.#tokens[2] = v;
      this.#peeked = 3;
    } else this.#backup2(v);
    return false;
  }

  #command(): CommandNode {
    const command: CommandNode = { kind: 'command', pos: this.#peekNonSpace().pos, args: [] };
    for (;;) {
      this.#peekNonSpace();
      this.#called = calledBy(command.args);
      const operand = this.#operand();
      if (operand !== undefined) command.args.push(operand);
      const token = this.#next();
      if (token.type === T.space) continue;
      if (token.type === T.rightDelim || token.type === T.rightParen) this.#backup();
      else if (token.type !== T.pipe) this.#unexpected(token, 'operand');
      break;
    }
    if (command.args.length === 0) this.#fail('empty command');
    return command;
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (node === undefined || this.#peek().type !== T.field) return node;
    const { pos } = this.#peek();
    const names: string[] = [];
    while (this.#peek().type === T.field) names.push(this.#next().value.slice(1));
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
        return this.#fail(`unexpected . after term ${quote(term)}`, 'unexpected . after term');
      }
    }
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace();
    const { pos, value } = token;
    switch (token.type) {
      case T.identifier:
        if (functionNamed(value) === undefined) {
          const message = `function ${quote(value)} not defined`;
          this.#fail(message, message, unknownFunction(value, this.#called));
        }
        return { kind: 'identifier', pos, name: value };
      case T.dot:
        return { kind: 'dot', pos };
      case T.nil:
        return { kind: 'nil', pos };
      case T.variable:
        if (!this.#defined.get(value)) this.#fail(`undefined variable ${quote(value)}`);
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
        if (constant.kind === 'error') this.#fail(constant.message, 'malformed constant');
        return { kind: 'number', pos, text: value, constant };
      }
      case T.leftParen:
        return this.#nest(
          () => this.#pipeline('parenthesized pipeline', T.rightParen),
          'max expression depth exceeded',
        );
      case T.string:
      case T.rawString:
        return {
          kind: 'string',
          pos,
          quoted: value,
          text: unquote(value) ?? this.#fail('invalid syntax'),
        };
    }
    this.#backup();
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

/** Whether a tree contains only white space. */
function isEmpty(list: ListNode): boolean {
  return list.nodes.every((node) => node.kind === 'text' && /^\s*$/.test(node.text));
}
