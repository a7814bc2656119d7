import type { LackingBlob } from '@assay/node/restore/backup';

const MOST = 20;

const ROLES: Readonly<Record<LackingBlob['role'], string>> = {
  manifest: 'the manifest of a read',
  page: 'a page of a source, or its text',
  ticks: 'the leaves of a tick',
  study: 'a study',
  proof: 'a timestamp',
  headers: 'the headers of a block',
  openings: 'what opens answers or forecasts',
};

/** Blobs that are missing, one on each line, up to a limit. */
export function lackingLines(blobs: readonly LackingBlob[]): readonly string[] {
  const lines = blobs
    .slice(0, MOST)
    .map(({ hash, role, seq }) => `  ${hash}  ${ROLES[role]}, named by entry ${seq}`);
  if (blobs.length <= MOST) return lines;
  return [...lines, `  and ${blobs.length - MOST} more: --json has them all`];
}
