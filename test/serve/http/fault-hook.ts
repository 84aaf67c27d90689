/**
 * A loader hook that puts a call of `globalThis.fault` in front of each call in the modules of an HTTP process, so that a test
 * can have any of them throw. The argument names the place: `gate.js:83:12`.
 */
import { readFileSync } from 'node:fs';
import type { LoadHook } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Key sets are loaded beside the requests. */
const MODULES = /\/dist\/(?:access|serve\/http)\/(?:[\w-]+\/)*(?!key-)[\w-]+\.js$/;

export const load: LoadHook = (url, context, nextLoad) => {
  if (!MODULES.test(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const source = withFaults(path.basename(file), readFileSync(file, 'utf8'));
  return { format: 'module', source, shortCircuit: true };
};

/** What is nothing but an access to an array, and where what has failed ends. */
const PURE =
  /(?:requests\.find(?:Unsent)?|requests\.select|kept\.has|lingering\.has|requests\.has|pending\.values|values\(\)\.filter|pending\.get|\.isPending|\.then|\.catch|Promise\.resolve|\.fail|\.failUnopened|^logFailure|#attempt|log\.error|\.reject|#aborted|#written|^succeeds|^step)$/;

function withFaults(name: string, text: string): string {
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const insertions: [at: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (isPlace(node)) {
      // The end of what is called: two calls of a chain begin in one place.
      const { line, character } = tree.getLineAndCharacterOfPosition(node.expression.end);
      const writes = /response\.write$|lingering\.respond$/.test(node.expression.getText());
      const place = `${name}:${line + 1}:${character + 1}`;
      const site = JSON.stringify(writes ? `write at ${place}` : place);
      insertions.push([node.getStart(tree), `(globalThis.fault?.(${site}),`]);
      insertions.push([node.end, ')']);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  let result = '';
  let copied = 0;
  for (const [at, inserted] of insertions.sort(([a], [b]) => a - b)) {
    result += text.slice(copied, at) + inserted;
    copied = at;
  }
  return result + text.slice(copied);
}

/** Whether a node is a call that may be in parentheses: what belongs to a longer optional chain may not. */
function isPlace(node: ts.Node): node is ts.CallExpression | ts.NewExpression {
  if (ts.isNewExpression(node)) return true;
  if (!ts.isCallExpression(node)) return false;
  const { kind } = node.expression;
  if (kind === ts.SyntaxKind.SuperKeyword || kind === ts.SyntaxKind.ImportKeyword) return false;
  if (PURE.test(node.expression.getText())) return false;
  const { parent } = node;
  const continues =
    (ts.isPropertyAccessExpression(parent) ||
      ts.isElementAccessExpression(parent) ||
      ts.isCallExpression(parent)) &&
    parent.expression === node;
  return !(ts.isOptionalChain(node) && continues);
}
