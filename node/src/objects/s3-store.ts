import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import { withDeadline } from '../platform/deadline.ts';
import { errorCode } from '../platform/durable-file.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { Condition, NewObject, ObjectStore, StoredObject } from './object-store.ts';

/** Where a bucket is, and who writes to it. */
export interface S3Place {
  /** The address of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** What stands before each path in the bucket: empty, or a folder with a slash at its end. */
  readonly prefix: string;
  /** Whether the bucket is the first part of the path. Otherwise it is the first part of the host's name. */
  readonly pathStyle: boolean;
}

export interface S3Credentials {
  readonly keyId: string;
  readonly secret: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

export interface S3Limits {
  /** Milliseconds for one try. */
  readonly tryMs: number;
  /** Tries of one call. */
  readonly tries: number;
  /** The longest pause before the second try in milliseconds; it doubles from try to try. */
  readonly pauseMs: number;
  /** Requests that are under way at once. */
  readonly concurrency: number;
}

export const S3_LIMITS: S3Limits = { tryMs: 30_000, tries: 5, pauseMs: 200, concurrency: 8 };

/** No pause between two tries is longer. */
const LONGEST_PAUSE_MS = 10_000;
/** What is read of an answer that explains an error. */
const MAX_ERROR_BYTES = 16_384;
const TITLE = 'object store';

interface Request {
  readonly method: 'PUT' | 'GET' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxBytes: number;
}

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Uint8Array;
}

/**
 * A bucket of an S3-compatible store. Requests are signed (AWS Signature Version 4) with the SHA-256 of their bodies,
 * so that the store refuses bytes that were changed on their way.
 */
export class S3Store implements ObjectStore {
  readonly #place: S3Place;
  readonly #credentials: () => Promise<S3Credentials>;
  readonly #limits: S3Limits;
  readonly #stop = new AbortController();
  readonly #turn: Semaphore;
  /** Keys of signatures, which change once a day. */
  readonly #cache = new Map<string, ArrayBuffer>();

  /** `credentials` is asked before each request, so that they may be renewed while the process runs. */
  constructor(
    place: S3Place,
    credentials: () => Promise<S3Credentials>,
    limits: S3Limits = S3_LIMITS,
  ) {
    this.#place = place;
    this.#credentials = credentials;
    this.#limits = limits;
    this.#turn = new Semaphore(limits.concurrency);
  }

  readonly put = async (
    path: string,
    { bytes, contentType, cacheControl }: NewObject,
    condition?: Condition,
  ): Promise<string | undefined> => {
    const { status, etag, body } = await this.#ask({
      method: 'PUT',
      path,
      headers: {
        'content-type': contentType,
        'cache-control': cacheControl,
        ...conditionHeader(condition),
      },
      body: bytes,
      maxBytes: MAX_ERROR_BYTES,
    });
    if (status === 200) return etag ?? '';
    if (condition !== undefined && status === 412) return undefined;
    // Some stores answer so where nothing is stored that a tag could be compared with, AWS among them.
    if (typeof condition === 'object' && status === 404) return undefined;
    throw refused('PUT', status, body);
  };

  readonly read = async (path: string, maxBytes: number): Promise<StoredObject | undefined> => {
    const { status, etag, body } = await this.#ask({ method: 'GET', path, headers: {}, maxBytes });
    if (status === 200) return { bytes: body, etag: etag ?? '' };
    if (status === 404) return undefined;
    throw refused('GET', status, body);
  };

  readonly remove = async (path: string): Promise<void> => {
    const { status, body } = await this.#ask({
      method: 'DELETE',
      path,
      headers: {},
      maxBytes: MAX_ERROR_BYTES,
    });
    if (status !== 200 && status !== 204 && status !== 404) throw refused('DELETE', status, body);
  };

  /** Ends what is under way and refuses what comes later. */
  close(): void {
    this.#stop.abort();
  }

  /** Tries until there is an answer that another try would not change. */
  async #ask(request: Request): Promise<Answer> {
    const { tries, pauseMs } = this.#limits;
    for (let attempt = 1; ; attempt += 1) {
      let reason: unknown;
      try {
        const answer = await this.#turn.run(() => this.#try(request));
        if (!isPassing(answer)) return answer;
        reason = unreachable(`status ${answer.status}${s3Code(answer.body)}`);
      } catch (error) {
        const code = faultCode(error);
        if (code !== 'unreachable' && code !== 'timeout') throw error;
        reason = error;
      }
      if (attempt >= tries || this.#stop.signal.aborted) throw reason;
      // A random pause, so that writers that were refused at once do not come back at once.
      const longest = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** (attempt - 1));
      await sleep(Math.random() * longest, undefined, { signal: this.#stop.signal }).catch(
        () => undefined,
      );
    }
  }

  async #try({ method, path, headers, body, maxBytes }: Request): Promise<Answer> {
    const { keyId, secret, sessionToken } = await this.#credentials();
    return withDeadline(
      this.#limits.tryMs,
      TITLE,
      async (signal) => {
        try {
          const signed = await new AwsV4Signer({
            method,
            url: objectUrl(this.#place, path),
            headers: { ...headers, 'x-amz-content-sha256': sha256Hex(body) },
            accessKeyId: keyId,
            secretAccessKey: secret,
            ...(sessionToken === undefined ? {} : { sessionToken }),
            service: 's3',
            region: this.#place.region,
            cache: this.#cache,
          }).sign();
          const response = await fetch(signed.url, {
            method,
            headers: signed.headers,
            body: body === undefined ? null : Buffer.from(body),
            redirect: 'manual',
            signal,
          });
          return {
            status: response.status,
            etag: response.headers.get('etag'),
            body: await readBody(
              response.body,
              response.status === 200 ? maxBytes : MAX_ERROR_BYTES,
            ),
          };
        } catch (error) {
          if (faultCode(error) !== undefined) throw error;
          // The message of fetch quotes the address.
          const code = errorCode(error instanceof Error ? error.cause : undefined) ?? '';
          throw unreachable(/^[A-Z0-9_]{1,48}$/.test(code) ? code : 'no answer');
        }
      },
      this.#stop.signal,
    );
  }
}

/** The address of an object. */
export function objectUrl(
  { endpoint, bucket, prefix, pathStyle }: Omit<S3Place, 'region'>,
  path: string,
): string {
  const url = new URL(endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
  if (pathStyle) url.pathname = `${url.pathname}${bucket}/`;
  else url.hostname = `${bucket}.${url.hostname}`;
  return `${url.href}${encoded(prefix)}${encoded(path)}`;
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function conditionHeader(condition: Condition | undefined): Readonly<Record<string, string>> {
  if (condition === undefined) return {};
  return condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.etag };
}

function sha256Hex(body: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(body ?? new Uint8Array(0))
    .digest('hex');
}

/**
 * Whether another try may have another answer. 409 is what AWS gives to one of two conditional writes at once
 * (ConditionalRequestConflict); the store decides about the next try by what then stands there.
 */
function isPassing({ status, body }: Answer): boolean {
  if (status === 429 || status === 409 || status === 408 || status >= 500) return true;
  return status === 400 && s3Code(body) === ' RequestTimeout';
}

/** The code of S3 in the body of an error, after a space; empty where there is none. */
function s3Code(body: Uint8Array): string {
  const [, code] = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(Buffer.from(body).toString()) ?? [];
  return code === undefined ? '' : ` ${code}`;
}

function unreachable(found: string): Fault {
  return new Fault('unreachable', TITLE, { expected: 'an answer', found });
}

function refused(method: string, status: number, body: Uint8Array): Fault {
  const found = `status ${status}${s3Code(body)} to ${method}`;
  // A bucket of another region is at another address, and a signature is for one region only.
  if (status >= 300 && status < 400) return new Fault('redirect_refused', TITLE, { found });
  return new Fault('refused', TITLE, { expected: 'a store that takes the request', found });
}

async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > maxBytes) {
      throw new Fault('too_large', 'object', { expected: `at most ${maxBytes} bytes` });
    }
    parts.push(part);
  }
  return concatBytes(...parts);
}
