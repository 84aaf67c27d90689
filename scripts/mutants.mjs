/**
 * Single-line mutations of a source file: comparisons, bounds, conditions, constants, and statements left out. TypeScript
 * is mutated by its syntax tree, C++ by its tokens. A mutant is an edit of the text: {file, line, start, end, text}, with
 * the line before and after it.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import ts from 'typescript';

/** What stands in for an operator. */
const OPERATORS = {
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '??': ['&&'],
};

/** mutantsOf lists the mutants of a file by their place in it. */
export function mutantsOf(file, source) {
  const edits = path.extname(file) === '.ts' ? typescriptEdits(file, source) : cppEdits(source);
  return edits.map((edit) => ({ file, ...edit, ...shown(source, edit) }));
}

/** apply is the source with a mutant's edit. */
export function apply(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}

/**
 * draw picks `count` mutants. Each has its place in the draw from the seed and its own text, so that an edit elsewhere in
 * the tree, or a file that was moved, leaves the others drawn.
 */
export function draw(mutants, count, seed) {
  const key = ({ original, mutated }) =>
    createHash('sha256').update(`${seed}\n${original}\n${mutated}`).digest('hex');
  const ranked = mutants.map((mutant) => ({ mutant, rank: key(mutant) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ mutant }) => mutant);
}

/** shown is the number of a mutant's line, and the line before and after the edit. */
function shown(source, edit) {
  const begin = source.lastIndexOf('\n', edit.start - 1) + 1;
  const line = source.slice(0, begin).split('\n').length;
  const rest = source.indexOf('\n', edit.end);
  const original = source.slice(begin, rest);
  const mutated = apply(original, { ...edit, start: edit.start - begin, end: edit.end - begin });
  return { line, original: oneLine(original), mutated: oneLine(mutated) };
}

function oneLine(text) {
  return text.trim().replace(/\s+/g, ' ');
}

function typescriptEdits(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const edits = [];
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node))
      return;
    for (const { at, text } of nodeEdits(node))
      edits.push({ start: at.getStart(tree), end: at.getEnd(), text });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return edits;
}

/** nodeEdits is what may be put in place of a node, or of a part of it. */
function nodeEdits(node) {
  if (ts.isBinaryExpression(node)) return binaryEdits(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [{ at: node, text: node.operand.getText() }];
  if (ts.isIfStatement(node)) return ifEdits(node);
  if (ts.isWhileStatement(node)) return [negated(node.expression)];
  if (ts.isConditionalExpression(node)) return [negated(node.condition)];
  if (ts.isNumericLiteral(node))
    return [{ at: node, text: String(Number(node.text.replaceAll('_', '')) + 1) }];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ at: node, text: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ at: node, text: 'true' }];
  if (removable(node)) return [{ at: node, text: ';' }];
  return [];
}

function binaryEdits({ operatorToken, left, right }) {
  const joins = [left, right].some(
    (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
  );
  const operator = operatorToken.getText();
  if (joins && operator === '+') return [];
  return (OPERATORS[operator] ?? []).map((text) => ({ at: operatorToken, text }));
}

function negated(condition) {
  return { at: condition, text: `!(${condition.getText()})` };
}

function ifEdits(node) {
  const always = node.elseStatement || leaves(node) ? [] : [{ at: node.expression, text: 'true' }];
  const never = leaves(node) ? [{ at: node, text: ';' }] : [];
  return [negated(node.expression), ...always, ...never];
}

/** leaves tells whether an `if` does nothing but leave the function or the loop. */
function leaves(node) {
  if (node.elseStatement) return false;
  const { thenStatement: then } = node;
  return (
    ts.isReturnStatement(then) || ts.isThrowStatement(then) || ts.isBreakOrContinueStatement(then)
  );
}

/** removable tells whether a statement can be left out: a call or an assignment, or a `return` that is not the last. */
function removable(node) {
  if (ts.isReturnStatement(node) && node.expression === undefined)
    return !ts.isIfStatement(node.parent);
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  return !(
    ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword
  );
}

/** A token of C++ that can be mutated: an operator between spaces, a negation, a number, or true and false. */
const CPP_TOKEN =
  /(?<= )(?:==|!=|<=|>=|<|>|&&|\|\||[+-])(?= )|!(?=\w)|(?<![\w.'])\d+(?![\w.'])|\b(?:true|false)\b/g;

const CPP_LEFT_OUT = /^\s*(?:#|template|static_assert|using|namespace)/;

function cppEdits(source) {
  const edits = [];
  let begin = 0;
  for (const line of source.split('\n')) {
    const code = line.replace(/\/\/.*$/, '');
    if (!CPP_LEFT_OUT.test(code)) {
      for (const { 0: token, index } of code.matchAll(CPP_TOKEN)) {
        const start = begin + index;
        for (const text of cppTexts(token)) edits.push({ start, end: start + token.length, text });
      }
      const condition = /^\s*if \((.*)\) (?:return .*|continue|break);$/.exec(code);
      if (condition)
        edits.push({ start: begin + code.indexOf('if'), end: begin + code.length, text: ';' });
    }
    begin += line.length + 1;
  }
  return edits;
}

function cppTexts(token) {
  if (token === '!') return [''];
  if (token === 'true') return ['false'];
  if (token === 'false') return ['true'];
  return OPERATORS[token] ?? [String(Number(token) + 1)];
}
