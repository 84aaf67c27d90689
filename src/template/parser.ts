/**
 * The parser: converts tokens to trees, one for the template and one for each define and block in it. Follows Go's
 * text/template/parse/parse.go, with the same messages. Throws TemplateError of stage parse for whatever Go rejects, and
 * for nesting beyond the limit.
 */
import { Lexer } from './lexer.js';
import type { Arm, BranchNode, ListNode, PipeNode, StatementNode, TemplateNode } from './node.js';
import { missingEnd, type OpenBlock } from './parse-hints.js';
import { PipelineParser } from './pipeline-parser.js';
import { quote, unquote } from './quote.js';
import { TokenReader, type TokenSource } from './token-reader.js';
import { TokenType, type Token } from './token.js';

const T = TokenType;

/** The text being parsed, with the state that the parsers of all its trees share. */
interface ParserSource extends TokenSource {
  readonly trees: Map<string, ListNode>;
  /** From the outermost to the innermost. */
  readonly open: OpenBlock[];
}

/** parse returns the trees of a text by name; the main one has `name`. */
export function parse(name: string, text: string): ReadonlyMap<string, ListNode> {
  const trees = new Map<string, ListNode>();
  new Parser({ name, text, lexer: new Lexer(text), trees, open: [], depth: 0 }).parseTop();
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
  readonly #source: ParserSource;
  readonly #tokens: TokenReader;
  readonly #pipelines: PipelineParser;
  #rangeDepth = 0;

  constructor(source: ParserSource) {
    this.#source = source;
    this.#tokens = new TokenReader(source);
    this.#pipelines = new PipelineParser(this.#tokens);
  }

  /** parseTop parses the whole text, defines included, and adds its tree. */
  parseTop(): void {
    const list: ListNode = { kind: 'list', pos: this.#tokens.peek().pos, nodes: [] };
    while (this.#tokens.peek().type !== T.eof) {
      if (this.#tokens.peek().type === T.leftDelim) {
        const delim = this.#tokens.next();
        if (this.#tokens.nextNonSpace().type === T.define) {
          new Parser(this.#source).#parseDefinition(delim.pos);
          continue;
        }
        this.#tokens.backup2(delim);
      }
      const step = this.#textOrAction();
      if (isStop(step)) this.#tokens.fail(`unexpected {{${step.kind}}}`);
      list.nodes.push(step);
    }
    this.#add(this.#source.name, list);
  }

  #parseDefinition(pos: number): void {
    const context = 'define clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    this.#tokens.expect(T.rightDelim, context);
    this.#add(name, this.#body(context, { keyword: 'define', pos }));
  }

  /** A list that must end with `{{end}}`. */
  #body(context: string, block: OpenBlock): ListNode {
    this.#source.open.push(block);
    const [list, stop] = this.#itemList();
    this.#source.open.pop();
    if (stop.kind !== 'end') this.#tokens.fail(`unexpected {{${stop.kind}}} in ${context}`);
    return list;
  }

  #add(name: string, list: ListNode): void {
    const { trees } = this.#source;
    const old = trees.get(name);
    if (old === undefined || isEmpty(old)) trees.set(name, list);
    else if (!isEmpty(list))
      this.#tokens.fail(`template: multiple definition of template ${quote(name)}`);
  }

  #itemList(): [ListNode, Stop] {
    const list: ListNode = { kind: 'list', pos: this.#tokens.peekNonSpace().pos, nodes: [] };
    while (this.#tokens.peekNonSpace().type !== T.eof) {
      const step = this.#textOrAction();
      if (isStop(step)) return [list, step];
      list.nodes.push(step);
    }
    const { text, open } = this.#source;
    const message = 'unexpected EOF';
    return this.#tokens.fail(message, message, missingEnd(text, open.at(-1)));
  }

  #textOrAction(): Step {
    const token = this.#tokens.nextNonSpace();
    if (token.type === T.text) return { kind: 'text', pos: token.pos, text: token.value };
    if (token.type !== T.leftDelim) this.#tokens.unexpected(token, 'input');
    this.#tokens.actionPos = token.pos;
    const step = this.#action();
    this.#tokens.actionPos = -1;
    return step;
  }

  #action(): Step {
    const token = this.#tokens.nextNonSpace();
    switch (token.type) {
      case T.block:
        return this.#block();
      case T.break:
      case T.continue:
        return this.#jump(token, token.type === T.break ? 'break' : 'continue');
      case T.else: {
        const next = this.#tokens.peekNonSpace();
        if (next.type === T.if || next.type === T.with) return { kind: 'else', pos: next.pos };
        return { kind: 'else', pos: this.#tokens.expect(T.rightDelim, 'else').pos };
      }
      case T.end:
        return { kind: 'end', pos: this.#tokens.expect(T.rightDelim, 'end').pos };
      case T.if:
        return this.#control('if');
      case T.range:
        return this.#control('range');
      case T.with:
        return this.#control('with');
      case T.template:
        return this.#template();
    }
    this.#tokens.backup();
    const { pos } = this.#tokens.peek();
    return { kind: 'action', pos, pipe: this.#pipelines.parse('command', T.rightDelim) };
  }

  #jump(token: Token, kind: 'break' | 'continue'): StatementNode {
    const next = this.#tokens.nextNonSpace();
    if (next.type !== T.rightDelim) this.#tokens.unexpected(next, `{{${kind}}}`);
    if (this.#rangeDepth === 0) this.#tokens.fail(`{{${kind}}} outside {{range}}`);
    return { kind, pos: token.pos };
  }

  #control(kind: BranchNode['kind']): BranchNode {
    const { open } = this.#source;
    open.push({ keyword: kind, pos: this.#tokens.actionPos });
    const node = this.#tokens.nest((): BranchNode => {
      const declared = this.#pipelines.declarations;
      const visible = this.#pipelines.visible;
      const arms: Arm[] = [];
      let otherwise: ListNode | undefined;
      for (;;) {
        const pipe = this.#pipelines.parse(kind, T.rightDelim);
        if (kind === 'range') this.#rangeDepth++;
        const [list, stop] = this.#itemList();
        if (kind === 'range') this.#rangeDepth--;
        arms.push({ pos: pipe.pos, pipe, list });
        if (stop.kind === 'end') break;
        const next = kind === 'range' ? undefined : this.#tokens.peek().type;
        if ((kind === 'if' && next === T.if) || (kind === 'with' && next === T.with)) {
          this.#tokens.next();
          continue;
        }
        const [rest, last] = this.#itemList();
        if (last.kind !== 'end') this.#tokens.fail(`expected end; found {{${last.kind}}}`);
        otherwise = rest;
        break;
      }
      this.#pipelines.forget(visible);
      const declares = this.#pipelines.declarations > declared;
      return { kind, pos: arms[0]!.pos, arms, otherwise, declares };
    });
    open.pop();
    return node;
  }

  #block(): TemplateNode {
    const context = 'block clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipelines.parse(context, T.rightDelim);
    const block = { keyword: 'block', pos: this.#tokens.actionPos };
    const inner = new Parser(this.#source);
    this.#tokens.nest(() => inner.#add(name, inner.#body(context, block)));
    return { kind: 'template', pos: token.pos, name, pipe };
  }

  #template(): TemplateNode {
    const context = 'template clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    let pipe: PipeNode | undefined;
    if (this.#tokens.nextNonSpace().type !== T.rightDelim) {
      this.#tokens.backup();
      pipe = this.#pipelines.parse(context, T.rightDelim);
    }
    return { kind: 'template', pos: token.pos, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== T.string && token.type !== T.rawString)
      this.#tokens.unexpected(token, context);
    return unquote(token.value) ?? this.#tokens.fail('invalid syntax');
  }
}

/** Whether a tree contains only white space. */
function isEmpty(list: ListNode): boolean {
  return list.nodes.every((node) => node.kind === 'text' && /^\s*$/.test(node.text));
}
