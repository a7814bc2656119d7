import { brotliCompress, constants, gzip } from 'node:zlib';
import { promisify } from 'node:util';

/** The content codings (RFC 9110, 8.4.1) that answers are served in, the best first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Headers of clients that were parsed: there are few of them, and they come again with each request. */
const MOST_PARSED = 256;
const parsed = new Map<string, Coding | undefined>();

/** The coding that a client likes best of those that are served; undefined for none. By Accept-Encoding (RFC 9110, 12.5.3). */
export function acceptedCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const known = parsed.get(header);
  if (known !== undefined || parsed.has(header)) return known;
  const coding = parse(header);
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(header, coding);
  return coding;
}

function parse(header: string): Coding | undefined {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.trim().toLowerCase().split(';');
    const weight = parameters.map((each) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(each)?.[1]).at(0);
    // A weight that is none is no reason to send something else than the plain bytes.
    if (parameters.length > 0 && weight === undefined) continue;
    // An older name of the same coding (RFC 9110, 8.4.1.3).
    const coding = name.trim() === 'x-gzip' ? 'gzip' : name.trim();
    weights.set(coding, Math.min(Number(weight ?? 1), 1));
  }
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  let best: Coding | undefined;
  // What the client likes less than the plain bytes is not sent.
  let most = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = weightOf(coding);
    if (weight > 0 && (best === undefined ? weight >= most : weight > most)) {
      best = coding;
      most = weight;
    }
  }
  return best;
}

/** A brotli quality that takes a few milliseconds for 200 kB. The best one takes half a second, for a tenth less. */
const BROTLI_QUALITY = 6;
const GZIP_LEVEL = 6;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** One at a time: the threads that compress are those that read the disk. */
let work: Promise<unknown> = Promise.resolve();
/** The bytes of the bodies that are being compressed, or wait for it. */
let waiting = 0;
/** The most of them: a client that asks for ever other pages must not fill the memory with what nobody asks for again. */
const MOST_WAITING = 16 * 1024 ** 2;

/**
 * The bytes in a coding. They are made in a thread of Node's pool, in the order in which they were asked for. Undefined while too much
 * waits.
 */
export function encoded(body: Uint8Array, coding: Coding): Promise<Uint8Array> | undefined {
  if (waiting > 0 && waiting + body.length > MOST_WAITING) return undefined;
  waiting += body.length;
  const next = work.then(() =>
    coding === 'br'
      ? brotli(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
          },
        })
      : gzipped(body, { level: GZIP_LEVEL }),
  );
  work = next
    .catch(() => {})
    .then(() => {
      waiting -= body.length;
    });
  return next;
}
