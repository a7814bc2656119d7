import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { MAX_PAGE_BYTES, MAX_READ_BYTES } from '@assay/core/limits';
import { z } from 'zod';
import { type Environment, LOG_LEVELS, type LogLevel, scrubRound } from '../production/config.ts';
import { hostField } from '../source/host-field.ts';
import { TRANSPORT_CHOICES, type TransportChoice } from '../http/server.ts';

/** Another log, in a configuration. */
export interface FollowedConfig {
  readonly url: string;
  /** The verifier key of its checkpoints. */
  readonly checkpoint_vkey: string;
  /** In hex; null: the one that is found first is remembered. */
  readonly log_id: string | null;
}

/** A witness, in a configuration. */
export interface WitnessConfig {
  readonly url: string;
  readonly vkey: string;
}

/**
 * A recounter's configuration file, which is JSON; `docs/recount.md` explains it. Paths are relative to the
 * file. An unknown field is an error.
 */
export interface RecounterConfig {
  readonly publisher: FollowedConfig & {
    /** The verifier keys of the witnesses whose lines count, if the log requires any. */
    readonly witnesses: readonly string[];
  };
  /** The folder of the recounter's data. */
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly transport: TransportChoice;
  readonly trusted_proxies: readonly string[];
  readonly requests_per_minute: number;
  readonly log_requests_per_minute: number;
  /** The name of the operator, for people. */
  readonly name: string;
  /** An e-mail address or page, which goes into the User-Agent of its requests. */
  readonly contact: string;
  /** The witnesses of its own log. */
  readonly witnesses: readonly WitnessConfig[];
  /** Addresses that serve a copy of its own log. Their newest head is compared at start. */
  readonly mirrors: readonly string[];
  readonly mirrors_required: boolean;
  /** Whether it cosigns the publisher's checkpoints. */
  readonly witness: boolean;
  /** The other recounters of this publisher. */
  readonly peers: readonly FollowedConfig[];
  /** Hosts (`HOST_PATTERN`) that the publisher's rules may make it ask; no other is asked. */
  readonly source_hosts: readonly string[];
  /** Those of the hosts (`HOST_PATTERN`) that may have addresses that are not public. */
  readonly private_hosts: readonly string[];
  /** The hosts that each secret may be sent to, by its name. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  /** How many entries, and bytes of them, the copy of each log may have. */
  readonly copy_max_entries: number;
  readonly copy_max_bytes: number;
  /** Seconds between two polls. */
  readonly poll_s: number;
  /** Seconds in which the scrub goes over everything that is stored. */
  readonly scrub_round_s: number;
  readonly source_timeout_s: number;
  readonly source_read_timeout_s: number;
  readonly source_max_bytes: number;
  readonly source_read_max_bytes: number;
  readonly metrics: boolean;
  readonly log_level: LogLevel;
}

const address = z
  .url({ protocol: /^https?$/ })
  .refine((url) => {
    if (!URL.canParse(url)) return true;
    const { username, password } = new URL(url);
    return username === '' && password === '';
  }, 'an address without user and password')
  .transform((url) => url.replace(/\/+$/, ''));

const perMinute = z.int().positive().max(1_000_000_000);
const vkey = z.string().min(1).max(512);

const followed = {
  url: address,
  checkpoint_vkey: vkey,
  log_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'a log id: 64 lower-case hex digits')
    .nullable()
    .default(null),
};

/** The prefix of a host that `assay recount init` wrote and nobody has confirmed yet. It is not asked. */
export const UNCONFIRMED = '?';

const unconfirmed = z
  .string()
  .startsWith(UNCONFIRMED)
  .refine((text) => hostField.safeParse(text.slice(UNCONFIRMED.length)).success);

const schema = z.strictObject({
  publisher: z.strictObject({ ...followed, witnesses: z.array(vkey).max(16).default([]) }),
  data: z.string().min(1),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8788),
  transport: z.enum(TRANSPORT_CHOICES).default('auto'),
  trusted_proxies: z.array(z.string()).default([]),
  requests_per_minute: perMinute.default(120),
  log_requests_per_minute: perMinute.default(6000),
  name: z.string().min(1).max(64),
  contact: z.string().min(1).max(200),
  witnesses: z
    .array(z.strictObject({ url: address, vkey }))
    .max(16)
    .default([]),
  mirrors: z.array(address).max(16).default([]),
  mirrors_required: z.boolean().default(false),
  witness: z.boolean().default(true),
  peers: z.array(z.strictObject(followed)).max(8).default([]),
  source_hosts: z
    .array(z.union([hostField, unconfirmed]))
    .max(256)
    .default([])
    .transform((hosts) => hosts.filter((each) => !each.startsWith(UNCONFIRMED))),
  private_hosts: z.array(hostField).max(256).default([]),
  secrets: z.record(z.string().regex(/^[A-Z0-9_]{1,64}$/), z.array(hostField).max(64)).default({}),
  copy_max_entries: z.int().positive().default(4_000_000),
  copy_max_bytes: z
    .int()
    .positive()
    .default(8 * 1024 ** 3),
  poll_s: z.number().positive().max(86_400).default(30),
  scrub_round_s: scrubRound,
  source_timeout_s: z.number().positive().max(600).default(60),
  source_read_timeout_s: z.number().positive().max(86_400).default(900),
  source_max_bytes: z.int().positive().max(MAX_PAGE_BYTES).default(MAX_PAGE_BYTES),
  source_read_max_bytes: z.int().positive().max(MAX_READ_BYTES).default(MAX_READ_BYTES),
  metrics: z.boolean().default(true),
  log_level: z.enum(LOG_LEVELS).default('info'),
});

/** The name of every field, each of which `docs/recount.md` must explain. */
export const RECOUNTER_FIELDS: readonly string[] = Object.keys(schema.shape);

/**
 * Makes the configuration from a value; `ASSAY_DATA` and `ASSAY_PORT` override it. Throws `bad_config` with the
 * field.
 */
export function parseRecounterConfig(
  value: unknown,
  environment: Environment,
  folder: string,
): RecounterConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('bad_config', 'config', { expected: 'a JSON object' });
  }
  const fields: Record<string, unknown> = { ...value };
  const { ASSAY_DATA: data = '', ASSAY_PORT: port = '' } = environment;
  if (data !== '') fields['data'] = data;
  if (port !== '') fields['port'] = /^[0-9]{1,9}$/.test(port) ? Number(port) : port;
  const parsed = schema.safeParse(fields);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue?.path.join('.') ?? '';
    throw new Fault('bad_config', 'config', {
      at: at === '' ? 'the whole file' : at,
      expected: issue?.message ?? 'a config',
    });
  }
  const config = parsed.data;
  const isGiven = data !== '' || isAbsolute(config.data);
  return { ...config, data: isGiven ? config.data : join(folder, config.data) };
}

/** Reads the configuration in a file. Throws `bad_config`. */
export async function readRecounterConfig(
  path: string,
  environment: Environment,
): Promise<RecounterConfig> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new Fault('bad_config', 'config file', {
      at: path,
      expected: 'a JSON file',
      found: messageOf(cause),
      cause,
    });
  }
  return parseRecounterConfig(value, environment, dirname(path));
}
