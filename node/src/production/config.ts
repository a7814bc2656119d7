import { isAbsolute, join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { z } from 'zod';
import { ROOM_LIMITS } from '../health/disk-room.ts';
import { type DateText, isDate, toDate } from '@assay/core/time/time';
import { type ObjectsConfig, objectsField } from '../objects/objects-config.ts';
import { type TierConfig, tierField } from '../payment/tier-config.ts';
import { type GuardConfig, guardField, withGuardPaths } from '../postgres/guard-config.ts';
import { standbyField, type StandbyConfig } from './standby-config.ts';
import { terminalField, type TerminalConfig, withPaths } from '../terminal/terminal-config.ts';
import {
  address,
  baseUrl,
  checkedFields,
  COMMON_FIELDS,
  type CommonConfig,
  type Environment,
  fieldsOf,
  readConfigFile,
} from './config-file.ts';

export type { Environment } from './config-file.ts';

/**
 * A node's configuration file, which is JSON. Every field except `data` and `contact` has a default;
 * `docs/config.md` explains them. Paths are relative to the file. An unknown field is an error, so that a
 * typing mistake does not silently leave a default in force.
 */
export interface Config extends CommonConfig {
  /** Rule files in the order of their versions. A version that the log lacks is appended at start. */
  readonly rules: readonly string[];
  /**
   * Processes that answer the public address, each from its own checked copy of the log. 0: the publisher answers it
   * itself.
   */
  readonly readers: number;
  /** The port at which readers on other machines ask the publisher. null: there are none. */
  readonly readers_port: number | null;
  /** The address of that port. */
  readonly readers_host: string;
  /** The service's address for readers, such as `https://assay.example`, which listing kits contain. */
  readonly public_url: string | null;
  /** The address of a public copy of the settlement files, which listing kits contain. */
  readonly mirror_url: string | null;
  /** Seconds after a release, or after midnight UTC, after which a missing report or Close is `degraded`. */
  readonly degraded_after_s: number;
  /** Seconds after their releases after which a service that publishes no index any more is `halted`. */
  readonly halted_after_s: number;
  /** Calendars to submit to. null: the public pool, or none for a development log. */
  readonly calendars: readonly string[] | null;
  /**
   * The calendar behind each of `calendars`, in their order, as its attestations name it. Further ones are only
   * asked for upgrades. null: those of the public pool, and any other address under its own name.
   */
  readonly calendar_attestors: readonly string[] | null;
  /** How many calendars must hold a batch before it is recorded. */
  readonly calendars_required: number;
  /** Seconds between two batches of stamps. */
  readonly stamp_every_s: number;
  /** Seconds between two beacons. */
  readonly beacon_every_s: number;
  /** The JSON-RPC address of a Bitcoin Core node. Its user and password come from the environment. */
  readonly bitcoin_rpc: string | null;
  /** A file of Bitcoin headers, as `assay headers sync` writes it. */
  readonly bitcoin_headers: string | null;
  /** Explorers with Esplora's interface. null: two public ones if neither of the above is given. */
  readonly bitcoin_explorers: readonly string[] | null;
  /** The JSON-RPC address of a node of the chain that the log names. null: nothing is posted. */
  readonly solana_rpc: string | null;
  /** How many micro-lamports a compute unit may cost at most in addition to the base fee. */
  readonly solana_priority_cap: number;
  /** The lamports per UTC day, for fees and rent, after which nothing is posted until the next day. */
  readonly solana_daily_lamports: number;
  /** Seconds between two comparisons of the chain with the log. */
  readonly solana_compare_s: number;
  /** Seconds after which a print that could be on chain but is not is `degraded`. */
  readonly solana_behind_after_s: number;
  /** The file of the co-signers that reports are to name. A set that the log lacks is appended at start. */
  readonly cosigners: string | null;
  /** The file of the arena rule. A version that the log lacks is appended at start. null: none is. */
  readonly arena_rule: string | null;
  /** Addresses of drand relays, which give the signatures that open forecasts. null: the public ones. */
  readonly drand_relays: readonly string[] | null;
  /**
   * The first day (UTC) of the Terminal's dataset; null for the log's own. A later `since` in a request is used
   * as it is.
   */
  readonly dataset_since: DateText | null;
  /** The Terminal's live ticks. null: there are none. */
  readonly terminal: TerminalConfig | null;
  /** What is sold, for how much, and who is paid. null: the machine tier is closed. */
  readonly tier: TierConfig | null;
  /** The bucket that a copy of the log is kept in. null: none is. */
  readonly objects: ObjectsConfig | null;
  /** The bytes that must be free on the disk of the data. Below that the service is `degraded`. */
  readonly disk_low_bytes: number;
  /** The bytes that must be free on that disk. Below that nothing new is begun. */
  readonly disk_reserve_bytes: number;
  /**
   * A folder on another disk, with which the log is read while its own disk cannot be written. null: one of the
   * system's.
   */
  readonly scratch: string | null;
  /** The process that has the report key and the checkpoint key. null: they are in the data folder. */
  readonly signer: SignerConfig | null;
  /** Where the newest head is guarded: in a file of the data folder, or in a database that other machines reach. */
  readonly head_guard: GuardConfig;
  /** What `assay node --standby` follows. null: this node is no standby. */
  readonly standby: StandbyConfig | null;
}

export interface SignerConfig {
  /** The path of its Unix socket. */
  readonly socket: string;
}

/** The smallest useful reserve, because LevelDB's own work needs that many bytes. */
const LEAST_RESERVE = 128 * 1024 ** 2;

const configSchema = z.strictObject({
  ...COMMON_FIELDS,
  port: z.int().min(0).max(65_535).default(8787),
  rules: z.array(z.string()).default([]),
  mirrors: z.array(address).default([]),
  readers: z.int().min(0).max(64).default(0),
  readers_port: z.int().min(0).max(65_535).nullable().default(null),
  readers_host: z.string().min(1).default('127.0.0.1'),
  public_url: baseUrl.nullable().default(null),
  mirror_url: baseUrl.nullable().default(null),
  degraded_after_s: z.int().positive().default(7200),
  halted_after_s: z
    .int()
    .positive()
    .default(7 * 86_400),
  calendars: z.array(baseUrl).max(16).nullable().default(null),
  calendar_attestors: z.array(baseUrl).max(16).nullable().default(null),
  calendars_required: z.int().min(1).max(16).default(2),
  stamp_every_s: z.int().min(60).max(3600).default(600),
  beacon_every_s: z.int().min(600).max(86_400).default(3600),
  bitcoin_rpc: baseUrl.nullable().default(null),
  bitcoin_headers: z.string().min(1).nullable().default(null),
  bitcoin_explorers: z.array(baseUrl).max(8).nullable().default(null),
  solana_rpc: address.nullable().default(null),
  solana_priority_cap: z.int().min(0).max(1_000_000_000).default(1_000_000),
  solana_daily_lamports: z.int().positive().max(1_000_000_000_000_000).default(1_000_000_000),
  solana_compare_s: z.int().min(10).max(86_400).default(600),
  solana_behind_after_s: z.int().positive().default(1800),
  cosigners: z.string().min(1).nullable().default(null),
  arena_rule: z.string().min(1).nullable().default(null),
  drand_relays: z.array(baseUrl).min(1).max(16).nullable().default(null),
  dataset_since: z
    .string()
    .refine((text) => isDate(text), 'a date YYYY-MM-DD')
    .nullable()
    .default(null),
  terminal: terminalField.nullable().default(null),
  tier: tierField.nullable().default(null),
  objects: objectsField.nullable().default(null),
  disk_low_bytes: z.int().min(0).default(ROOM_LIMITS.lowBytes),
  disk_reserve_bytes: z.int().min(LEAST_RESERVE).default(ROOM_LIMITS.reserveBytes),
  scratch: z.string().min(1).nullable().default(null),
  signer: z
    .strictObject({ socket: z.string().min(1).max(107) })
    .nullable()
    .default(null),
  head_guard: guardField.default({ kind: 'file' }),
  standby: standbyField.nullable().default(null),
});

/** The name of every field, each of which `docs/config.md` must explain. */
export const CONFIG_FIELDS: readonly string[] = Object.keys(configSchema.shape);

/** What the file may hold, as a JSON schema. `docs/reference/config.md` is made of it. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input' });
}

/** Environment variables that override a field, and what they hold. */
const OVERRIDES: readonly (readonly [string, keyof Config, 'text' | 'number'])[] = [
  ['ASSAY_DATA', 'data', 'text'],
  ['ASSAY_HOST', 'host', 'text'],
  ['ASSAY_PORT', 'port', 'number'],
  ['ASSAY_TRANSPORT', 'transport', 'text'],
  ['ASSAY_LOG_LEVEL', 'log_level', 'text'],
  ['ASSAY_READERS', 'readers', 'number'],
  ['ASSAY_SOLANA_RPC', 'solana_rpc', 'text'],
];

/**
 * Makes the configuration from a value and the environment. Throws `bad_config` with the field or the variable;
 * the value of a variable is not shown.
 */
export function parseConfig(value: unknown, environment: Environment, folder: string): Config {
  const fields = fieldsOf(value);
  const fromEnvironment = new Set<string>();
  for (const [name, field, kind] of OVERRIDES) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    fields[field] = kind === 'number' ? numberOf(name, text) : text;
    fromEnvironment.add(field);
  }
  const config = checkedFields(configSchema, fields);
  const resolve = (path: string): string => (isAbsolute(path) ? path : join(folder, path));
  return {
    ...config,
    data: fromEnvironment.has('data') ? config.data : resolve(config.data),
    rules: config.rules.map(resolve),
    bitcoin_headers: config.bitcoin_headers === null ? null : resolve(config.bitcoin_headers),
    cosigners: config.cosigners === null ? null : resolve(config.cosigners),
    arena_rule: config.arena_rule === null ? null : resolve(config.arena_rule),
    scratch: config.scratch === null ? null : resolve(config.scratch),
    objects: config.objects && {
      ...config.objects,
      credentials: config.objects.credentials && resolve(config.objects.credentials),
    },
    signer: config.signer === null ? null : { socket: resolve(config.signer.socket) },
    head_guard: withGuardPaths(config.head_guard, resolve),
    dataset_since: config.dataset_since === null ? null : toDate(config.dataset_since),
    terminal: config.terminal === null ? null : withPaths(config.terminal, resolve),
  };
}

function numberOf(name: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) {
    throw new Fault('bad_config', 'environment', { at: name, expected: 'a whole number' });
  }
  return Number(text);
}

/** Reads the configuration in a file. Throws `bad_config`. */
export function readConfig(path: string, environment: Environment): Promise<Config> {
  return readConfigFile(path, (value, folder) => parseConfig(value, environment, folder));
}

const SECRET_PREFIX = 'ASSAY_SECRET_';

/** Reads the provider keys for `{secret:NAME}` from variables `ASSAY_SECRET_NAME`. They stay in memory. */
export function readSecrets(environment: Environment): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith(SECRET_PREFIX) && value !== undefined && value !== '') {
      secrets.set(name.slice(SECRET_PREFIX.length), value);
    }
  }
  return secrets;
}
