/**
 * `/_docs`: the page that lists and runs scripts (src/clients/page), from memory. The files are the same for all callers and contain
 * nothing of the service; what the page shows, it asks for with the token of its user.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { installedFile } from '../../../base/installed-file.js';
import { NO_BODY } from '../../../messages/batch.js';
import type { RequestTable } from '../transport/request-table.js';
import { TYPED } from '../transport/response-head.js';
import type { Route, RouteSource } from '../transport/route.js';

const FOLDER = 'dist/clients/page/files';

const PATH = '/_docs';

const PAGE = { name: 'index.html', type: 'text/html; charset=utf-8' };
const FILES = [
  { name: 'page.js', type: 'text/javascript; charset=utf-8' },
  { name: 'page.css', type: 'text/css; charset=utf-8' },
];

/** Nothing from other hosts, nothing inline, and the page in no frame: texts of scripts and rows cannot become code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CACHED = '\r\nCache-Control: no-cache';

interface Resource {
  readonly bytes: Uint8Array;
  readonly tag: string;
  /** Header lines of the response with the bytes, and of one without. */
  readonly lines: string;
  readonly unchanged: string;
}

/** docsPage serves the page, also at `/` if `atRoot`. Throws when a file of the page is missing. */
export function docsPage(requests: RequestTable, atRoot: boolean): RouteSource {
  const routeOf = (file: typeof PAGE): Route => {
    const { bytes, tag, lines, unchanged } = readResource(file);
    return {
      token: 'ignored',
      handle: (request) => {
        if (!requests.allowsMethod(request, ['GET', 'HEAD'])) return;
        const { response, ifNoneMatch, authorization } = request;
        const same = hasTag(ifNoneMatch, tag);
        response.addLines(same ? unchanged : lines);
        // Every response to a request with a token has a Cache-Control already.
        if (authorization === '') response.addLines(CACHED);
        if (same) requests.respond(request, 304, NO_BODY, '');
        else requests.respond(request, 200, TYPED, bytes);
      },
    };
  };
  const page = routeOf(PAGE);
  return {
    routes: {
      [PATH]: page,
      ...(atRoot ? { '/': page } : {}),
      ...Object.fromEntries(FILES.map((file) => [`${PATH}/${file.name}`, routeOf(file)])),
    },
  };
}

function readResource({ name, type }: typeof PAGE): Resource {
  const bytes = new Uint8Array(readFileSync(installedFile(`${FOLDER}/${name}`)));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  const unchanged = `\r\nETag: ${tag}`;
  const lines =
    `\r\nContent-Type: ${type}${unchanged}\r\nContent-Security-Policy: ${POLICY}` +
    '\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin';
  return { bytes, tag, lines, unchanged };
}

/** `list` is the values of If-None-Match, which are compared weakly. */
function hasTag(list: string, tag: string): boolean {
  return list.split(',').some((one) => {
    const value = one.trim();
    return value === '*' || value.replace(/^W\//, '') === tag;
  });
}
