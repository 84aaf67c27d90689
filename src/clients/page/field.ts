/** A parameter in a form: its name, what may be entered, its control or controls, and what was wrong with it. */
import { makeControl, textOf, type Control, type ControlOptions } from './control.js';
import { button, h, newId } from './dom.js';
import type { Parameter } from './operations.js';
import type { Schema, Schemas } from './schema.js';

export class Field {
  readonly element: HTMLElement;
  readonly parameter: Parameter;
  readonly #fault: HTMLElement;
  readonly #texts: () => string[];

  /** `changed` is called when a value was added or removed. */
  constructor(parameter: Parameter, schemas: Schemas, changed: () => void) {
    this.parameter = parameter;
    const { name, place, required, deprecated, description, schema } = parameter;
    const id = newId();
    const about = newId();
    this.#fault = h('p', { class: 'fault', id: newId() });
    const describedBy = `${about} ${this.#fault.id}`;
    const isList = schemas.typeOf(schema) === 'array';
    const item = isList ? schemas.plain(schema.items).schema : schema;
    const heading = [
      h('span', { class: 'name' }, name),
      ' ',
      h('span', { class: 'type' }, schemas.label(schema)),
      place !== 'query' && h('span', { class: 'type' }, ` in the ${place}`),
      required && h('strong', { class: 'required' }, ' required'),
      deprecated && h('strong', { class: 'deprecated' }, ' deprecated'),
    ];
    const note = [description, ...limits(schema, item)].filter((text) => text !== '').join(' · ');
    const hint = h('p', { id: about, class: 'hint' }, note);
    const options = { required, enforced: place === 'path', describedBy };
    if (!isList) {
      const control = makeControl(schema, schemas.typeOf(schema), { id, ...options });
      this.#texts = () => present([control]);
      const label = h('label', { for: id }, ...heading);
      this.element = h('div', { class: 'field' }, label, control.element, hint, this.#fault);
      return;
    }
    const legend = h('legend', {}, ...heading);
    const [inputs, texts] =
      item.enum === undefined
        ? this.#several(item, schemas, options, changed)
        : boxes(item.enum.filter((one) => one !== null).map(textOf));
    this.#texts = texts;
    this.element = h(
      'fieldset',
      { class: 'field', 'aria-describedby': describedBy },
      legend,
      inputs,
      hint,
      this.#fault,
    );
  }

  get key(): string {
    return `${this.parameter.place} ${this.parameter.name}`;
  }

  texts(): string[] {
    return this.#texts();
  }

  /** mark shows the error of the value; empty without one. */
  mark(fault: string): void {
    this.#fault.textContent = fault;
    for (const control of this.element.querySelectorAll('input, select, textarea')) {
      if (fault === '') control.removeAttribute('aria-invalid');
      else control.setAttribute('aria-invalid', 'true');
    }
  }

  focus(): void {
    this.element.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }

  #several(
    item: Schema,
    schemas: Schemas,
    options: Omit<ControlOptions, 'id'>,
    changed: () => void,
  ): [HTMLElement, () => string[]] {
    const controls: Control[] = [];
    const rows = h('div', { class: 'values' });
    const add = (focus: boolean): void => {
      const label = `${this.parameter.name}, value ${controls.length + 1}`;
      const required = options.required && controls.length === 0;
      const control = makeControl(item, schemas.typeOf(item), { id: newId(), ...options, required, label }); // prettier-ignore
      controls.push(control);
      const remove = button(
        '×',
        () => {
          controls.splice(controls.indexOf(control), 1);
          row.remove();
          more.focus();
          changed();
        },
        { 'aria-label': `Remove ${label}`, class: 'quiet' },
      );
      const row = h('div', { class: 'value' }, control.element, controls.length > 1 && remove);
      rows.append(row);
      if (focus) control.element.focus();
    };
    const more = button('Add a value', () => add(true), { class: 'quiet' });
    add(false);
    return [h('div', {}, rows, more), () => present(controls)];
  }
}

function boxes(choices: readonly string[]): [HTMLElement, () => string[]] {
  const made = choices.map((choice) => ({ choice, box: h('input', { type: 'checkbox' }) }));
  const labels = made.map(({ choice, box }) => h('label', { class: 'box' }, box, choice));
  const texts = (): string[] => made.filter(({ box }) => box.checked).map(({ choice }) => choice);
  return [h('div', { class: 'boxes' }, ...labels), texts];
}

function present(controls: readonly Control[]): string[] {
  return controls.map((control) => control.text()).filter((text) => text !== undefined);
}

function limits(schema: Schema, item: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, pattern } = item;
  const texts: string[] = [];
  if (minimum !== undefined && maximum !== undefined) texts.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) texts.push(`at least ${minimum}`);
  else if (maximum !== undefined) texts.push(`at most ${maximum}`);
  if (minLength !== undefined) texts.push(`at least ${minLength} characters`);
  if (maxLength !== undefined) texts.push(`at most ${maxLength} characters`);
  if (pattern !== undefined) texts.push(`matches ${pattern}`);
  if (schema.default !== undefined) texts.push(`default: ${textOf(schema.default)}`);
  return texts;
}
