import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { MAX_PAGE_BYTES, MAX_READ_BYTES } from '@assay/core/limits';
import { z } from 'zod';
import { hostField } from '../source/host-field.ts';
import { TRANSPORT_CHOICES, type TransportChoice } from '../http/server.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A witness, in a config. */
export interface WitnessConfig {
  /** Its submission and monitoring prefix (C2SP tlog-witness). */
  readonly url: string;
  /** Its verifier key, type 0x04. */
  readonly vkey: string;
}

/** What the configs of a publisher's node and of a recounter have in common. */
export interface CommonConfig {
  /** The folder of the node's data: keys, ledger, head guard and blobs. */
  readonly data: string;
  /** The address to listen on. */
  readonly host: string;
  /** The port to listen on; 0 takes any free one. */
  readonly port: number;
  /** `auto`: uWebSockets.js if its binary loads, otherwise node:http. */
  readonly transport: TransportChoice;
  /** Addresses or networks of proxies whose X-Forwarded-For is trusted. */
  readonly trusted_proxies: readonly string[];
  /** The requests per minute of one client address, except for the log's own parts. */
  readonly requests_per_minute: number;
  /** The same for the log's own parts: checkpoint, tiles and blobs. */
  readonly log_requests_per_minute: number;
  /** Witnesses that are asked to cosign each head of the log. Each has its own key. */
  readonly witnesses: readonly WitnessConfig[];
  /** Addresses that serve a copy of this log. Their newest head is compared at start. */
  readonly mirrors: readonly string[];
  /** Whether the node stays read-only while no mirror can be reached at start. */
  readonly mirrors_required: boolean;
  /** The e-mail address or page of the operator, which goes into the User-Agent of its requests. */
  readonly contact: string;
  /** Seconds between two polls for rounds that are due. */
  readonly poll_s: number;
  /** Seconds for one whole answer of a source. */
  readonly source_timeout_s: number;
  /** Seconds for reading all pages of a source and extracting from them, including waits. */
  readonly source_read_timeout_s: number;
  /** The most bytes of one page of a source. */
  readonly source_max_bytes: number;
  /** The most bytes of all pages of one answer. */
  readonly source_read_max_bytes: number;
  /** Sources (`HOST_PATTERN`) that may have addresses that are not public. */
  readonly private_hosts: readonly string[];
  /** Seconds in which the scrub goes over everything that is stored. */
  readonly scrub_round_s: number;
  /** Whether /metrics is served, at an address of its own. */
  readonly metrics: boolean;
  /** The address on which /metrics is served. */
  readonly metrics_host: string;
  /** Its port; null: the port of the service and 1000; 0 takes any free one. */
  readonly metrics_port: number | null;
  /** The log level, one of pino's. */
  readonly log_level: LogLevel;
}

/**
 * A configuration file may be copied and shown, so it contains no password: those come from the environment.
 */
export const address: z.ZodURL = z
  .url({ protocol: /^https?$/ })
  .refine(withoutUser, 'an address without user and password');

/** An address without the slashes at its end. */
export const baseUrl: z.ZodPipe<z.ZodURL, z.ZodTransform<string, string>> = address.transform(
  (url) => url.replace(/\/+$/, ''),
);

export const verifierKey: z.ZodString = z.string().min(1).max(512);

/** A limit is never off: a very large one does not limit. */
const perMinute = z.int().positive().max(1_000_000_000);

/** The fields of `CommonConfig`, but for those that have other bounds in each: `port` and `mirrors`. */
export const COMMON_FIELDS: {
  readonly [K in Exclude<keyof CommonConfig, 'port' | 'mirrors'>]: z.ZodType<CommonConfig[K]>;
} = {
  data: z.string().min(1),
  host: z.string().min(1).default('127.0.0.1'),
  transport: z.enum(TRANSPORT_CHOICES).default('auto'),
  trusted_proxies: z.array(z.string()).default([]),
  requests_per_minute: perMinute.default(120),
  log_requests_per_minute: perMinute.default(6000),
  witnesses: z
    .array(z.strictObject({ url: baseUrl, vkey: verifierKey }))
    .max(16)
    .default([]),
  mirrors_required: z.boolean().default(false),
  contact: z.string().min(1).max(200),
  poll_s: z.number().positive().max(86_400).default(30),
  source_timeout_s: z.number().positive().max(600).default(60),
  source_read_timeout_s: z.number().positive().max(86_400).default(900),
  source_max_bytes: z.int().positive().max(MAX_PAGE_BYTES).default(MAX_PAGE_BYTES),
  source_read_max_bytes: z.int().positive().max(MAX_READ_BYTES).default(MAX_READ_BYTES),
  private_hosts: z.array(hostField).max(256).default([]),
  // A day, and at most a month: a copy that has rotted, too, helps nobody.
  scrub_round_s: z
    .number()
    .positive()
    .max(31 * 86_400)
    .default(86_400),
  metrics: z.boolean().default(true),
  metrics_host: z.string().min(1).default('127.0.0.1'),
  metrics_port: z.int().min(0).max(65_535).nullable().default(null),
  log_level: z.enum(LOG_LEVELS).default('info'),
};

function withoutUser(url: string): boolean {
  // What is no address is told as that.
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

/** A copy of the members of a config. Throws `bad_config` for what is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('bad_config', 'config', { expected: 'a JSON object' });
  }
  return { ...value };
}

/** What a schema makes of a config's members. Throws `bad_config` with the first field that does not fit. */
export function checkedFields<T>(schema: z.ZodType<T>, fields: Record<string, unknown>): T {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') ?? '';
  throw new Fault('bad_config', 'config', {
    at: at === '' ? 'the whole file' : at,
    expected: issue?.message ?? 'a config',
  });
}

/** What `parse` makes of the JSON in a file and of the folder that it lies in. Throws `bad_config`. */
export async function readConfigFile<T>(
  path: string,
  parse: (value: unknown, folder: string) => T,
): Promise<T> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new Fault('bad_config', 'config file', {
      at: path,
      expected: 'a JSON file',
      found: isMissing(cause) ? 'no file there' : messageOf(cause),
      cause,
    });
  }
  return parse(value, dirname(path));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
