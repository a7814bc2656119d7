import { readFile } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { errorCode } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';

/**
 * Reads the reports that a person has written into a file, a hash (64 hex digits) on each line, and empty
 * lines. On each of them the publisher's log has a statement of this key that the memory lacks, and somebody
 * knows why. Empty if there is no file. Throws `malformed` for another line.
 */
export async function readAcknowledged(path: string): Promise<ReadonlySet<HashHex>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Set();
    throw storageFault(error, 'acknowledged reports');
  }
  const reports = new Set<HashHex>();
  for (const [i, line] of text.split('\n').entries()) {
    const hash = line.trim();
    if (hash === '') continue;
    if (!isHex(hash, 32)) {
      throw new Fault('malformed', 'acknowledged reports', {
        at: `${path}, line ${i + 1}`,
        expected: 'the hash of a report, 64 hex digits',
        found: hash.slice(0, 80),
      });
    }
    reports.add(toHashHex(hash));
  }
  return reports;
}
