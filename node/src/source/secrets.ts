import { Fault } from '@assay/core/fault';
import type { SourceHeader, SourceRequest } from '@assay/core/source/request';
import { undoEscapes } from './escapes.ts';

/** The values of `{secret:NAME}`, by name. */
export type Secrets = ReadonlyMap<string, string>;

/** A request as it goes to the socket. It leaves the folder of sources in no other way. */
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
 * Throws `bad_config` for a secret that could not be written as it is in a header or in JSON, or that is so
 * short that an answer might contain it by chance. The fault names it and does not show it.
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

/** Encodes all but the unreserved characters of RFC 3986, so that no URL parser changes it any further. */
function percentEncode(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function plain(value: string): string {
  return value;
}

/** How many rounds of escaping are undone. A URL in a JSON text in an HTML page has three. */
const MAX_ROUNDS = 4;
/** The least length of what is left of a secret, so that an answer does not contain it by chance. */
const MIN_LENGTH = 8;

/**
 * The first of the named secrets that occurs in `bytes`: as it is, in base64 (alone or after a user's name), or
 * in any case with escapes of JSON, HTML and URLs, nested in any order.
 */
export function repeatedSecret(
  bytes: Uint8Array,
  names: readonly string[],
  secrets: Secrets,
): string | undefined {
  if (names.length === 0) return undefined;
  const marks = names.map((name) => ({ name, ...marksOf(secrets.get(name) as string) }));
  let held: Buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let round = 0; ; round += 1) {
    const text = held.toString('latin1');
    const folded = text.toLowerCase();
    const found = marks.find(
      ({ plain: forms, base64 }) =>
        forms.some((form) => folded.includes(form)) || base64.some((form) => text.includes(form)),
    );
    if (found !== undefined) return found.name;
    const undone = round === MAX_ROUNDS ? held : undoEscapes(held);
    if (undone === held) return undefined;
    held = undone;
  }
}

/** What to search for: the secret in lower case, and with its own characters unescaped. */
function marksOf(secret: string): {
  readonly plain: readonly string[];
  readonly base64: readonly string[];
} {
  const forms = new Set([secret]);
  for (let form: Buffer = Buffer.from(secret), round = 0; round < MAX_ROUNDS; round += 1) {
    form = undoEscapes(form);
    if (form.length >= MIN_LENGTH) forms.add(form.toString());
  }
  // In base64, each of three bytes begins at another bit, so the position of a secret shifts it.
  const base64 = [0, 1, 2].flatMap((before) => {
    const written = Buffer.from('\0'.repeat(before) + secret).toString('base64');
    const own = written.slice(
      Math.ceil((8 * before) / 6),
      Math.floor((8 * (before + secret.length)) / 6),
    );
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return { plain: [...forms].map((form) => form.toLowerCase()), base64 };
}
