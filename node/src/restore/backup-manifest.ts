import type { HashHex } from '@assay/core/hash/hash';
import {
  array,
  boolean,
  hashHex,
  integer,
  literal,
  object,
  type Parse,
  string,
  time,
} from '@assay/core/wire/schema';
import type { TimeText } from '@assay/core/time/time';
import { formatWire, parseWire } from '@assay/core/wire/wire';

/** The file that makes a folder a backup. It is written last: without it nothing in the folder is trusted. */
export const BACKUP_FILE = 'assay-backup.json';

/** A file that nothing serves, stored by its hash. */
export interface PrivateEntry {
  /** Its path in the data folder. */
  readonly path: string;
  readonly sha256: HashHex;
  readonly length: number;
}

/** What a backup is of, and when it was made. */
export interface BackupManifest {
  readonly type: 'assay-backup/1';
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
  /** The signed head whose entries it has. */
  readonly note: string;
  readonly made_at: TimeText;
  readonly with_keys: boolean;
  /** Ascending by path. */
  readonly files: readonly PrivateEntry[];
}

const MAX_FILES = 1_000_000;

const parseShape: Parse<BackupManifest> = object<BackupManifest>({
  type: literal('assay-backup/1'),
  log: hashHex,
  note: string(1, 65_536),
  made_at: time,
  with_keys: boolean,
  files: array(
    object<PrivateEntry>({
      // No path leads out of the folder, and none is hidden.
      path: string(1, 256, /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/),
      sha256: hashHex,
      length: integer(0, Number.MAX_SAFE_INTEGER),
    }),
    0,
    MAX_FILES,
  ),
});

export function formatBackup(manifest: BackupManifest): Uint8Array {
  return formatWire(manifest);
}

/** Throws `not_canonical`, `bad_utf8` or `malformed`. */
export function parseBackup(bytes: Uint8Array): BackupManifest {
  return parseShape(parseWire(bytes), 'backup');
}
