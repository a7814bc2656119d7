import type { FilledHeader, FilledRequest } from './secrets.ts';

/** A request at one step of a chain of redirects. */
export interface Hop {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: readonly FilledHeader[];
  readonly body: string | null;
  readonly secretBody: boolean;
}

/** Headers that describe the body. Without a body they are left out (Fetch, HTTP-redirect fetch, step 12). */
const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
]);

/** Headers that are for one origin only (Fetch, step 13; RFC 9110, section 15.4). */
const ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** The first hop, or `undefined` if the URL cannot be requested. */
export function firstHop(request: FilledRequest): Hop | undefined {
  const { method, headers, body, secretBody } = request;
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (url === undefined || !isHttp(url) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  return { method, url, headers, body, secretBody };
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The hop that a redirect asks for, or a text that says why it is refused: a host that the rule does not list,
 * even the same host as before; https followed by http; or a secret in the body that would go to another
 * origin. Headers with a secret are left out. A host that is listed without a port means the scheme's default
 * port. The text never contains anything from the server.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string,
  follow: readonly string[],
): Hop | string {
  const url = URL.canParse(location, hop.url.href) ? new URL(location, hop.url.href) : undefined;
  if (url === undefined || !isHttp(url) || url.username !== '' || url.password !== '') {
    return 'a redirect to what is not an http URL';
  }
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    return 'a redirect from https to http';
  }
  const port = url.port === '' ? defaultPort(url) : url.port;
  const listed = url.port === '' ? [url.hostname, `${url.hostname}:${port}`] : [url.host];
  if (!listed.some((host) => follow.includes(host))) {
    return 'a redirect to a host that the rule does not list';
  }
  const dropsBody = status < 307 && hop.method === 'POST';
  const leaves = url.origin !== hop.url.origin;
  if (leaves && hop.secretBody && !dropsBody) {
    return 'a redirect that would take a secret to another origin';
  }
  const headers = hop.headers.filter(
    ({ name, secret }) =>
      !(dropsBody && BODY_HEADERS.has(name)) && !(leaves && (secret || ORIGIN_HEADERS.has(name))),
  );
  return dropsBody
    ? { method: 'GET', url, headers, body: null, secretBody: false }
    : { ...hop, url, headers };
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

function defaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80';
}
