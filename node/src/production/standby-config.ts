import { z } from 'zod';
import { baseUrl, verifierKey } from './config-file.ts';

/** The standby's part of a configuration, which `docs/config.md` explains. */
export interface StandbyConfig {
  /** The name under which the head guard knows this standby. */
  readonly name: string;
  /** The address of the publisher that is followed. */
  readonly publisher: string;
  /** The key of the log's checkpoints. */
  readonly checkpoint_vkey: string;
  /** The leaf hash of entry 0. null: the first log that the key signs is taken, and no other from then on. */
  readonly log_id: string | null;
  /** Seconds between two polls. */
  readonly poll_s: number;
  /** The entries behind the publisher beyond which `/readyz` says no. */
  readonly ready_within: number;
}

export const standbyField: z.ZodType<StandbyConfig> = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
      '1 to 63 letters, digits, dots, underscores, hyphens',
    ),
  publisher: baseUrl,
  checkpoint_vkey: verifierKey,
  log_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/, '64 hex digits')
    .nullable()
    .default(null),
  poll_s: z.number().min(0.05).max(3600).default(1),
  ready_within: z.int().min(0).max(10_000_000).default(1000),
});
