/**
 * Makes elements. Text becomes text nodes and nothing is parsed as HTML, so that names, descriptions and rows with markup
 * show as they are.
 */

/** A false or undefined attribute is left out, a true one has no value. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type Child = Node | string | false | undefined;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** s makes an element of an SVG image. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

/** button makes a button that does not submit its form. */
export function button(
  text: string,
  click: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made = h('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', click);
  return made;
}

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== false && value !== undefined)
      element.setAttribute(name, value === true ? '' : String(value));
  element.append(...children.filter((child) => child !== false && child !== undefined));
}

let last = 0;

export function newId(): string {
  return `e${++last}`;
}
