/**
 * Checks the keys of authentication, TLS and CORS against each other. A combination that would leave the service open, or
 * refuse every request, is an error.
 */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { parseKeySet } from '../../access/tokens/key-set.js';
import { formOf } from '../../access/tokens/key-set-text.js';
import { canSign, verificationKey } from '../../access/tokens/static-key.js';
import { errorText, printable } from '../../base/text.js';
import type { Issues } from './kind.js';
import type { Config } from './schema.js';

export function needsToken(config: Config): boolean {
  return config['auth.enabled'] || config['jwt.default'];
}

export function checkAuthentication(config: Config, issues: Issues): void {
  checkKeys(config, issues);
  checkRoles(config, issues);
  checkWhitelist(config, issues);
  checkCors(config, issues);
  checkTls(config, issues);
}

function checkKeys(config: Config, { errors, warnings }: Issues): void {
  const key = config['jwt.key'];
  const algorithm = config['jwt.algo'];
  if (config['auth.login'] && !config['auth.enabled'])
    errors.push('auth.login: /auth is offered only with auth.enabled = true');
  if (!needsToken(config)) return;
  const { 'jwt.jwks': set, 'jwt.wellknownurl': discovery } = config;
  if (set !== undefined && discovery !== undefined)
    errors.push('jwt.jwks and jwt.wellknownurl: both name a key set; set one of them');
  if (set !== undefined && formOf(set) !== 'url')
    collectError('jwt.jwks', () => checkKeySet(set, algorithm), errors);
  if (discovery !== undefined && config['jwt.aud'] === undefined)
    warnings.push(
      'jwt.aud is not set: every token of the issuer is accepted, also one for another service',
    );
  if (key !== undefined) collectError('jwt.key', () => verificationKey(key, algorithm), errors);
  else if (set === undefined && discovery === undefined)
    errors.push(
      'jwt.key: authentication is on, and no key is set to check tokens with; set the variable SERVICE_JWT_KEY, jwt.jwks or jwt.wellknownurl',
    );
  if (!config['auth.login']) return;
  if (!canSign(key ?? '', algorithm))
    errors.push(
      'auth.login: /auth needs a jwt.key that can sign tokens; set the variable SERVICE_JWT_KEY',
    );
  if (config['auth.encrypt'] !== 'bcrypt')
    warnings.push(
      `auth.encrypt is ${config['auth.encrypt']}: whoever reads the users table can find the passwords; bcrypt is the only safe choice`,
    );
}

/** Adds the error that `use` throws to the errors of a key of the configuration. */
function collectError(name: string, use: () => unknown, errors: string[]): void {
  try {
    use();
  } catch (error) {
    errors.push(`${name}: ${printable(errorText(error))}`); // it may contain a path
  }
}

/** Throws unless a key set, JSON or a file, has a usable key. A URL is not checked: it may become available later. */
function checkKeySet(set: string, algorithm: string): void {
  const text = formOf(set) === 'json' ? set : readFileSync(set, 'utf8');
  const { size, ignored } = parseKeySet(text, algorithm);
  if (size === 0)
    throw new Error(
      `the key set has no key for ${algorithm}${ignored.map((why) => `; ${why}`).join('')}`,
    );
}

function checkRoles(config: Config, { errors }: Issues): void {
  const allowed = config['auth.db_roles'];
  if (config['auth.db_role'] === undefined) {
    if (allowed.length > 0) errors.push('auth.db_roles: it needs auth.db_role');
    if (config['auth.anonymous_role'] !== undefined)
      errors.push('auth.anonymous_role: it needs auth.db_role');
  } else if (allowed.length === 0)
    errors.push('auth.db_role: auth.db_roles is empty, so no role could ever be used');
  // PostgreSQL would set another role for these names.
  for (const name of ['auth.db_roles', 'auth.anonymous_role'] as const)
    if ([config[name]].flat().some((role) => role === 'none' || role?.includes('\0')))
      errors.push(
        `${name}: "none", PostgreSQL's word for the user of the connection, and names with NUL are no roles`,
      );
  const identity = ['auth.db_role', 'auth.settings', 'auth.claims'] as const;
  for (const name of identity)
    if (config[name] !== undefined && config[name] !== false && !needsToken(config))
      errors.push(`${name}: nobody is known while auth.enabled is off`);
}

function checkWhitelist(config: Config, { warnings }: Issues): void {
  if (!needsToken(config)) return;
  for (const pattern of config['jwt.whitelist']) {
    if (!pattern.startsWith('^') || !pattern.endsWith('$'))
      warnings.push(
        `jwt.whitelist: ${pattern} must match all of a path here, as if it were ^(?:${pattern})$`,
      );
    const opens =
      pattern.includes('_QUERIES') || new RegExp(`^(?:${pattern})$`, 'u').test('/_QUERIES/a/b');
    if (opens && !config['queries.restrict'])
      warnings.push(`jwt.whitelist: ${pattern} lets everybody run scripts without a token`);
    if (config['mcp.enabled'] && new RegExp(`^(?:${pattern})$`, 'u').test('/_mcp'))
      warnings.push(`jwt.whitelist: ${pattern} lets everybody use /_mcp without a token`);
  }
}

function checkCors(config: Config, { errors }: Issues): void {
  const origins = config['cors.alloworigin'];
  if (origins.includes('*') && config['cors.allowcredentials'])
    errors.push(
      'cors.allowcredentials: with cors.alloworigin = ["*"] any site could act as its visitors; name the origins',
    );
  for (const origin of origins)
    if (origin !== '*' && !isOrigin(origin))
      errors.push(
        `cors.alloworigin: ${JSON.stringify(origin)} is no origin; allowed: *, or a scheme, a host and perhaps a port, as https://app.example`,
      );
  const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
  for (const name of ['cors.allowheaders', 'cors.allowmethods'] as const)
    for (const item of config[name])
      if (!token.test(item)) errors.push(`${name}: ${JSON.stringify(item)} is no name for HTTP`);
}

function isOrigin(text: string): boolean {
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

function checkTls(config: Config, { errors }: Issues): void {
  if (!config['https.mode']) return;
  const cert = config['https.cert'];
  const key = config['https.key'];
  if (cert === undefined || key === undefined) {
    errors.push('https.mode: it needs https.cert and https.key');
    return;
  }
  const use = (): unknown =>
    createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
  collectError('https.cert, https.key', use, errors);
}
