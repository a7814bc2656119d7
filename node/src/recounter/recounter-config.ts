import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import {
  baseUrl,
  checkedFields,
  COMMON_FIELDS,
  type CommonConfig,
  type Environment,
  fieldsOf,
  readConfigFile,
  verifierKey,
} from '../production/config-file.ts';
import { hostField } from '../source/host-field.ts';

/** Another log, in a configuration. */
export interface FollowedConfig {
  readonly url: string;
  /** The verifier key of its checkpoints. */
  readonly checkpoint_vkey: string;
  /** In hex; null: the one that is found first is remembered. */
  readonly log_id: string | null;
}

/**
 * A recounter's configuration file, which is JSON; `docs/recount.md` explains it. Paths are relative to the
 * file. An unknown field is an error.
 */
export interface RecounterConfig extends CommonConfig {
  readonly publisher: FollowedConfig & {
    /** The verifier keys of the witnesses whose lines count, if the log requires any. */
    readonly witnesses: readonly string[];
  };
  /** The name of the operator, for people. */
  readonly name: string;
  /** Whether it cosigns the publisher's checkpoints. */
  readonly witness: boolean;
  /** The other recounters of this publisher. */
  readonly peers: readonly FollowedConfig[];
  /** Hosts (`HOST_PATTERN`) that the publisher's rules may make it ask; no other is asked. */
  readonly source_hosts: readonly string[];
  /** The hosts that each secret may be sent to, by its name. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  /** How many entries, and bytes of them, the copy of each log may have. */
  readonly copy_max_entries: number;
  readonly copy_max_bytes: number;
}

const followed = {
  url: baseUrl,
  checkpoint_vkey: verifierKey,
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
  ...COMMON_FIELDS,
  publisher: z.strictObject({ ...followed, witnesses: z.array(verifierKey).max(16).default([]) }),
  port: z.int().min(0).max(65_535).default(8788),
  name: z.string().min(1).max(64),
  mirrors: z.array(baseUrl).max(16).default([]),
  witness: z.boolean().default(true),
  peers: z.array(z.strictObject(followed)).max(8).default([]),
  source_hosts: z
    .array(z.union([hostField, unconfirmed]))
    .max(256)
    .default([])
    .transform((hosts) => hosts.filter((each) => !each.startsWith(UNCONFIRMED))),
  secrets: z.record(z.string().regex(/^[A-Z0-9_]{1,64}$/), z.array(hostField).max(64)).default({}),
  copy_max_entries: z.int().positive().default(4_000_000),
  copy_max_bytes: z
    .int()
    .positive()
    .default(8 * 1024 ** 3),
});

/** The name of every field, each of which `docs/recount.md` must explain. */
export const RECOUNTER_FIELDS: readonly string[] = Object.keys(schema.shape);

/** What the file may hold, as a JSON schema. `docs/reference/config.md` is made of it. */
export function recounterJsonSchema(): object {
  return z.toJSONSchema(schema, { io: 'input' });
}

/**
 * Makes the configuration from a value; `ASSAY_DATA` and `ASSAY_PORT` override it. Throws `bad_config` with the
 * field.
 */
export function parseRecounterConfig(
  value: unknown,
  environment: Environment,
  folder: string,
): RecounterConfig {
  const fields = fieldsOf(value);
  const { ASSAY_DATA: data = '', ASSAY_PORT: port = '' } = environment;
  if (data !== '') fields['data'] = data;
  if (port !== '') fields['port'] = /^[0-9]{1,9}$/.test(port) ? Number(port) : port;
  const config = checkedFields(schema, fields);
  const isGiven = data !== '' || isAbsolute(config.data);
  return { ...config, data: isGiven ? config.data : join(folder, config.data) };
}

/** Reads the configuration in a file. Throws `bad_config`. */
export function readRecounterConfig(
  path: string,
  environment: Environment,
): Promise<RecounterConfig> {
  return readConfigFile(path, (value, folder) => parseRecounterConfig(value, environment, folder));
}
