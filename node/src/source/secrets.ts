import { Fault } from '@assay/core/fault';
import type { SourceHeader, SourceRequest } from '@assay/core/request';

/** What `{secret:NAME}` stands for, by name. */
export type Secrets = ReadonlyMap<string, string>;

/** A request as it goes to the socket. It never leaves the folder of sources in any other way. */
export interface FilledRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: readonly FilledHeader[];
  readonly body: string | null;
  readonly secretBody: boolean;
  /** The names that were filled in. */
  readonly used: readonly string[];
}

export interface FilledHeader extends SourceHeader {
  readonly secret: boolean;
}

/**
 * Throws `bad_config` for a secret that could not stand as it is in a header or in JSON, or that is so
 * short that an answer might hold it by chance. The fault names it and does not show it.
 */
export function requireSecrets(secrets: Secrets): void {
  for (const [name, value] of secrets) {
    if (/^[!#-[\]-~]{8,1024}$/.test(value)) continue;
    throw new Fault('bad_config', 'secret', {
      at: name,
      expected: '8 to 1024 visible ASCII characters, without quote and backslash',
    });
  }
}

/** The request with its secrets, or the name of one that is not set. */
export function fillSecrets(
  request: SourceRequest,
  secrets: Secrets,
): FilledRequest | { readonly missing: string } {
  const used = new Set<string>();
  const fill = (text: string, encode: (value: string) => string): string =>
    text.replaceAll(/\{secret:([^{}]*)\}/g, (_, name: string) => {
      used.add(name);
      return encode(secrets.get(name) ?? '');
    });
  const isForm = request.headers.some(
    ({ name, value }) => name === 'content-type' && value.startsWith(FORM),
  );
  const body = request.body === null ? null : fill(request.body, isForm ? percentEncode : plain);
  const filled: FilledRequest = {
    method: request.method,
    url: fill(request.url, percentEncode),
    headers: request.headers.map(({ name, value }) => {
      const full = fill(value, plain);
      return { name, value: full, secret: full !== value };
    }),
    body,
    secretBody: body !== request.body,
    used: [...used],
  };
  const missing = filled.used.find((name) => !secrets.has(name));
  return missing === undefined ? filled : { missing };
}

const FORM = 'application/x-www-form-urlencoded';

/** All but the unreserved characters of RFC 3986, so that no URL parser changes it any further. */
function percentEncode(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function plain(value: string): string {
  return value;
}

/** The first of the named secrets that stands in `bytes`, as it is or percent-encoded. */
export function repeatedSecret(
  bytes: Uint8Array,
  names: readonly string[],
  secrets: Secrets,
): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return names.find((name) => {
    const value = secrets.get(name) as string;
    return text.includes(value) || text.includes(percentEncode(value));
  });
}
