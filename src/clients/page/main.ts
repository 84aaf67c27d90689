/**
 * The page: loads the document of the service and shows the operation that the address names. All URLs are relative to this
 * file's, so that it works under any prefix.
 */
import { readAccess, type Access } from './access.js';
import { Client, textOf } from './client.js';
import { chosenDatabase, DatabaseChoice } from './database-choice.js';
import { button, h } from './dom.js';
import { failureOf } from './failure.js';
import { isNamed, readDocument, type Catalogue, type Operation } from './operations.js';
import { OperationView } from './operation-view.js';
import { ScriptList } from './script-list.js';
import { listTables, tablesView, type ListedTable } from './tables-view.js';
import { themeChoice } from './theme.js';
import { tokenForm } from './token-form.js';

const TABLES = 'tables';

/** A module served at `_docs/page.js` belongs to the service at `./`. */
const client = new Client(new URL('../', import.meta.url).href);

const list = new ScriptList();
const main = h('main', { id: 'main', tabindex: -1 });
const title = h('span', { class: 'title' }, 'sql-rest-service');
const tablesLink = h('a', { href: `#${TABLES}`, hidden: true, class: 'tables' }, 'Tables');
const nav = h('nav', { 'aria-label': 'Scripts' }, list.element, tablesLink);
const menu = button('Scripts', () => toggleMenu(!document.body.classList.contains('menu')), {
  class: 'menu',
  'aria-expanded': 'false',
});

const choice = new DatabaseChoice(() => void change());

/** The database whose document was loaded last, empty for the default one; undefined before that. */
let loaded: string | undefined;
let access: Access | undefined;
let catalogue: Catalogue | undefined;
let tables: readonly ListedTable[] | undefined;
let view: OperationView | undefined;
let loads = 0;

function start(): void {
  const skip = h('a', { href: '#main', class: 'skip' }, 'Skip to the content');
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  const header = h(
    'header',
    {},
    menu,
    title,
    choice.element,
    tokenForm(client, () => void load()),
    themeChoice(),
  );
  document.body.replaceChildren(skip, header, nav, main);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping()) return;
    event.preventDefault();
    toggleMenu(true);
    list.focus();
  });
  window.addEventListener('hashchange', () => {
    if (loaded === chosenDatabase()) show(true);
  });
  window.addEventListener('popstate', () => {
    if (loaded !== chosenDatabase()) void load();
  });
  void load();
}

/** Whether a key is a part of what is being entered. */
function isTyping(): boolean {
  return /^(?:input|select|textarea)$/i.test(document.activeElement?.tagName ?? '');
}

function toggleMenu(open: boolean): void {
  document.body.classList.toggle('menu', open);
  menu.setAttribute('aria-expanded', String(open));
}

/** Loads the database that was chosen, and shows its script of the same name as before, if there is one. */
async function change(): Promise<void> {
  const before = named();
  await load();
  const all = catalogue?.operations ?? [];
  if (before !== undefined && named() === undefined) {
    const { script, method } = before;
    const same = all.find((one) => one.script === script && one.method === method);
    const hash = same === undefined ? '' : `#${encodeURI(same.id)}`;
    history.replaceState(null, '', location.pathname + location.search + hash);
    show(false);
  }
  choice.announce(all.length);
}

function named(): Operation | undefined {
  const id = decoded(location.hash.slice(1));
  return catalogue?.operations.find((one) => isNamed(one, id));
}

function documentTarget(): string {
  const database = chosenDatabase();
  return `_QUERIES/${database === '' ? '' : `${encodeURIComponent(database)}/`}openapi.json`;
}

/** Loads what the caller may see; what an earlier call finds later is dropped. */
async function load(): Promise<void> {
  const nth = ++loads;
  const database = chosenDatabase();
  const permitted = readAccess(client);
  const listing = listTables(client).catch(() => ({ tables: undefined, code: undefined }));
  let problem: Node | undefined;
  let found: Catalogue | undefined;
  try {
    const received = await client.read(documentTarget());
    const { status, statusText } = received;
    if (status === 200) found = readDocument(textOf(received));
    else
      problem = notice(NO_LIST, `${status} ${failureOf(received)?.message ?? statusText}. ${KEY}`);
  } catch (error) {
    problem = notice(NO_LIST, (error as Error).message);
  }
  const listed = await listing;
  const granted = await permitted;
  if (nth !== loads) return;
  loaded = database;
  access = granted;
  choice.show(access);
  catalogue = found;
  tables = listed.tables;
  tablesLink.hidden = tables === undefined;
  list.show(catalogue ?? EMPTY);
  if (catalogue !== undefined && catalogue.title !== '') {
    title.textContent = catalogue.title;
    document.title = catalogue.title;
  }
  problem ??= found && tokenProblem(found, listed.code);
  if (problem === undefined) show(false);
  else main.replaceChildren(problem);
}

const EMPTY = readDocument('{"openapi":"3.1.0"}');

const NO_LIST = 'The list of scripts cannot be loaded.';
const KEY = 'It is there when docs.openapi of the configuration is on.';

/** The error of the token: the document itself is for everybody, with what each caller may run. */
function tokenProblem({ operations, hasTokens }: Catalogue, code = ''): HTMLElement | undefined {
  if (client.hasToken && /^(?:invalid_token|invalid_claims)$/.test(code))
    return notice(
      'The token was not accepted.',
      'The service does not know it, or it has expired.',
    );
  return hasTokens && !client.hasToken && operations.length === 0
    ? notice('The service needs a token.', 'Enter one above; it stays in this tab.')
    : undefined;
}

function notice(heading: string, text: string): HTMLElement {
  return h('div', { role: 'alert', class: 'notice' }, h('h1', {}, heading), h('p', {}, text));
}

/** Shows what the address names, and moves the focus there after a step of the user. */
function show(moved: boolean): void {
  if (catalogue === undefined) return;
  const id = decoded(location.hash.slice(1));
  const operation = named();
  view?.stop();
  view = operation && new OperationView(operation, catalogue, client, access?.sql === true);
  list.select(operation?.id ?? id);
  if (id === TABLES) tablesLink.setAttribute('aria-current', 'page');
  else tablesLink.removeAttribute('aria-current');
  if (view !== undefined) main.replaceChildren(view.element);
  else if (id === TABLES && tables !== undefined) main.replaceChildren(tablesView(tables, client));
  else main.replaceChildren(welcome(catalogue, id));
  toggleMenu(false);
  if (!moved) return;
  window.scrollTo(0, 0);
  main.querySelector<HTMLElement>('h1')?.focus();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function welcome({ title, version, description, operations }: Catalogue, id: string): HTMLElement {
  const about = [
    id !== '' && h('p', { class: 'notice' }, 'There is no such script, or you may not run it.'),
    ...description
      .split(/\n{2,}/)
      .filter(Boolean)
      .map((text) => h('p', { class: 'about' }, text)),
    h('p', {}, operations.length === 0 ? NO_SCRIPTS : PICK),
    h(
      'p',
      {},
      h('a', { href: client.base + documentTarget() }, 'openapi.json'),
      ' describes the same for programs.',
    ),
  ];
  return h(
    'article',
    { 'aria-labelledby': 'operation' },
    h('h1', { id: 'operation', tabindex: -1 }, title, ' ', h('span', { class: 'type' }, version)),
    ...about,
  );
}

const NO_SCRIPTS = 'There are no scripts that you may run.';
const PICK = 'Choose a script from the list. The key / goes to the search, Enter runs a form.';

start();
