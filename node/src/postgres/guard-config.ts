import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { z } from 'zod';
import { parseAddress, type ServerAddress } from './session.ts';
import type { PostgresGuardOptions } from './postgres-guard.ts';

/** The head guard's part of a configuration, which `docs/config.md` explains. */
export type GuardConfig = { readonly kind: 'file' } | PostgresGuardConfig;

export interface PostgresGuardConfig {
  readonly kind: 'postgres';
  /** The servers, of which one takes writes: `host:port`, or the folder of a Unix socket. */
  readonly addresses: readonly string[];
  readonly database: string;
  readonly user: string;
  /** A file with the password. null: `ASSAY_GUARD_PASSWORD`, or none. */
  readonly password_file: string | null;
  /** `verify`: TLS with a certificate that is checked. `off`: for a socket, or a network that is trusted. */
  readonly tls: 'verify' | 'off';
  /** A file with the certificates that may vouch for the server. null: those of the system. */
  readonly ca_file: string | null;
  /** Whether each commit waits for a synchronous standby. `none`: there is one server. */
  readonly standby: 'required' | 'none';
  /** Seconds after which the outcome of a commit counts as not known. */
  readonly timeout_s: number;
  /** How many entries are kept in the database for a standby that has not confirmed them. */
  readonly keep_entries: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variable of the password. */
export const GUARD_PASSWORD_VARIABLE = 'ASSAY_GUARD_PASSWORD';

const addressField = z
  .string()
  .refine((text) => parseAddress(text) !== undefined, 'host:port, or the folder of a socket');

const postgresField = z
  .strictObject({
    kind: z.literal('postgres'),
    addresses: z.array(addressField).min(1).max(8),
    database: z.string().min(1).max(63).default('assay'),
    user: z.string().min(1).max(63).default('assay'),
    password_file: z.string().min(1).nullable().default(null),
    tls: z.enum(['verify', 'off']).default('verify'),
    ca_file: z.string().min(1).nullable().default(null),
    standby: z.enum(['required', 'none']).default('required'),
    timeout_s: z.number().min(0.1).max(600).default(10),
    keep_entries: z.int().min(1).max(10_000_000).default(100_000),
  })
  // An old server that comes back would be believed, for nobody has to confirm its commits.
  .refine(
    ({ standby, addresses }) => standby === 'required' || addresses.length === 1,
    'one address where standby is none',
  );

/** Typed by its result, because a union of schemas has no name. */
export const guardField: z.ZodType<GuardConfig> = z.union([
  z.strictObject({ kind: z.literal('file') }),
  postgresField,
]);

/** The same configuration with the paths of its files resolved. */
export function withGuardPaths(
  config: GuardConfig,
  resolve: (path: string) => string,
): GuardConfig {
  if (config.kind === 'file') return config;
  const { password_file: password, ca_file: ca } = config;
  return {
    ...config,
    password_file: password === null ? null : resolve(password),
    ca_file: ca === null ? null : resolve(ca),
  };
}

/** Milliseconds for connecting: a server that is gone must not cost a whole time-out. */
const CONNECT_MS = 3000;
const DROP_EVERY_MS = 1000;

/** What a guard of a configuration is made of, for the log of this origin. Throws `bad_config` for a file that cannot be read. */
export async function guardOptions(
  config: PostgresGuardConfig,
  environment: Environment,
  log: string,
): Promise<PostgresGuardOptions> {
  const { database, user, password_file: file } = config;
  const timeoutMs = config.timeout_s * 1000;
  const ca = config.ca_file === null ? undefined : await readText(config.ca_file);
  const given = environment[GUARD_PASSWORD_VARIABLE];
  // The client is loaded only where there is such a guard.
  const { postgresSessions } = await import('./postgres-session.ts');
  return {
    addresses: config.addresses.map((each) => parseAddress(each) as ServerAddress),
    openSession: postgresSessions({
      database,
      user,
      password: async () => (file === null ? given : (await readText(file)).replace(/\r?\n$/, '')),
      tls: config.tls === 'off' ? null : { ca },
      name: 'assay',
      timeoutMs: Math.min(timeoutMs, CONNECT_MS),
    }),
    needsStandby: config.standby === 'required',
    timeoutMs,
    makeName: randomUUID,
    log,
    keepEntries: config.keep_entries,
    dropEveryMs: DROP_EVERY_MS,
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Fault('bad_config', 'head_guard', { at: path, found: messageOf(error) });
  }
}
