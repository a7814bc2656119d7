import { open } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { z } from 'zod';
import { errorCode } from '../platform/durable-file.ts';
import { S3_LIMITS, type S3Credentials, type S3Place, S3Store } from './s3-store.ts';

/** The bucket that a copy of the log is kept in. */
export interface ObjectsConfig {
  /** The address of the service, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** A folder in the bucket; empty for its top. */
  readonly prefix: string;
  /** Whether requests have the bucket in their path. Otherwise it stands before the host's name. */
  readonly path_style: boolean;
  /** A file with the credentials, with mode 0600. null: they come from the environment. */
  readonly credentials: string | null;
  /** Whether a blob must be in the bucket before an entry may name it. */
  readonly blobs_first: boolean;
  /** Seconds between two copies while the log grows. */
  readonly every_s: number;
  /** The answers about so many of the newest periods of each index are copied. */
  readonly reports: number;
  /** For how many seconds readers of a former checkpoint find what it needs. */
  readonly keep_s: number;
  /** Seconds after which a bucket that is behind is `degraded`. */
  readonly behind_after_s: number;
  /** Seconds for one try of one request. */
  readonly timeout_s: number;
}

/** A bucket's name as AWS allows it. It becomes a part of an address. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*\/?)*$/;

export const objectsField: z.ZodType<ObjectsConfig> = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => !URL.canParse(url) || new URL(url).username + new URL(url).search === '',
      'an address without user and query',
    ),
  bucket: z.string().regex(BUCKET),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default('us-east-1'),
  prefix: z.string().max(256).regex(PREFIX).default(''),
  path_style: z.boolean().default(true),
  credentials: z.string().min(1).nullable().default(null),
  blobs_first: z.boolean().default(false),
  every_s: z.number().min(0).max(86_400).default(5),
  reports: z.int().min(1).max(100_000).default(60),
  keep_s: z.int().min(60).default(10_800),
  behind_after_s: z.int().positive().default(600),
  timeout_s: z.number().positive().max(600).default(30),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the environment that hold the credentials, as other programs for S3 name them. */
const VARIABLES = {
  keyId: 'AWS_ACCESS_KEY_ID',
  secret: 'AWS_SECRET_ACCESS_KEY',
  token: 'AWS_SESSION_TOKEN',
} as const;

/** Milliseconds for which the file of credentials is not read again. */
const KEPT_MS = 60_000;
const MAX_FILE_BYTES = 16_384;

/** The bucket of a configuration. Throws `bad_config` where there are no credentials in the environment. */
export function openBucket(config: ObjectsConfig, environment: Environment): S3Store {
  const { endpoint, bucket, region, prefix, path_style: pathStyle } = config;
  const place: S3Place = {
    endpoint,
    bucket,
    region,
    pathStyle,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
  };
  const credentials =
    config.credentials === null
      ? fromEnvironment(environment)
      : fromFile(config.credentials, () => performance.now());
  return new S3Store(place, credentials, { ...S3_LIMITS, tryMs: config.timeout_s * 1000 });
}

function fromEnvironment(environment: Environment): () => Promise<S3Credentials> {
  const keyId = environment[VARIABLES.keyId] ?? '';
  const secret = environment[VARIABLES.secret] ?? '';
  const token = environment[VARIABLES.token] ?? '';
  if (keyId === '' || secret === '') {
    throw new Fault('bad_config', 'objects', {
      expected: `the variables ${VARIABLES.keyId} and ${VARIABLES.secret}, or a file of credentials`,
      found: 'neither',
    });
  }
  const found = { keyId, secret, ...(token === '' ? {} : { sessionToken: token }) };
  return () => Promise.resolve(found);
}

const fileSchema = z.strictObject({
  access_key_id: z.string().min(1),
  secret_access_key: z.string().min(1),
  session_token: z.string().min(1).optional(),
});

/** Reads the file again from time to time: temporary credentials are replaced while a node runs. */
function fromFile(path: string, now: () => number): () => Promise<S3Credentials> {
  let kept: { readonly at: number; readonly credentials: Promise<S3Credentials> } | undefined;
  return () => {
    if (kept === undefined || now() - kept.at > KEPT_MS) {
      const credentials = readCredentials(path);
      kept = { at: now(), credentials };
      credentials.catch(() => {
        kept = undefined;
      });
    }
    return kept.credentials;
  };
}

/**
 * Reads a file of credentials. Throws `key_exposed` where others may read it, and `bad_config` where it cannot be read
 * or holds something else; no error quotes what is in it.
 */
export async function readCredentials(path: string): Promise<S3Credentials> {
  const bad = (found: string): Fault =>
    new Fault('bad_config', 'credentials of the object store', {
      at: path,
      expected: 'JSON with access_key_id and secret_access_key',
      found,
    });
  let text: string;
  try {
    const file = await open(path, 'r');
    try {
      const { mode, size } = await file.stat();
      if ((mode & 0o077) !== 0) {
        throw new Fault('key_exposed', 'credentials of the object store', {
          at: path,
          expected: 'mode 0600',
          found: `0${(mode & 0o777).toString(8)}`,
        });
      }
      if (size > MAX_FILE_BYTES) throw bad(`${size} bytes`);
      text = await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof Fault || code === undefined) throw error;
    throw bad(code);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad('no JSON');
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) throw bad('other members');
  const {
    access_key_id: keyId,
    secret_access_key: secret,
    session_token: sessionToken,
  } = parsed.data;
  return { keyId, secret, ...(sessionToken === undefined ? {} : { sessionToken }) };
}
