/** The picture of the wings in docs/architecture.md, made from the rules of imports. */
import { WINGS } from '../.dependency-cruiser.mjs';

export { WINGS };

const BEGIN = '<!-- wings: made by npm run docs:architecture -->\n';
const END = '<!-- /wings -->';

/** withPicture gives the document with the picture of today. */
export function withPicture(document) {
  const begin = document.indexOf(BEGIN) + BEGIN.length;
  return `${document.slice(0, begin)}\n${picture(WINGS)}\n${document.slice(document.indexOf(END))}`;
}

/** An arrow is left out where the wings between its ends have others to the same one. */
export function picture(allowed) {
  const reach = (wing) => new Set(allowed[wing].flatMap((other) => [other, ...reach(other)]));
  const lines = Object.entries(allowed).flatMap(([wing, others]) =>
    others
      .filter((one) => !others.some((other) => other !== one && reach(other).has(one)))
      .map((one) => `  ${wing} --> ${one}`),
  );
  return `\`\`\`mermaid\nflowchart TD\n${lines.reverse().join('\n')}\n\`\`\`\n`;
}
