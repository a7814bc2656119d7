import { Fault } from '@assay/core/fault';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { guardNote } from './entry-recovery.ts';
import type { Restoration } from './restoration.ts';

/** Codes of findings that mean that bytes are missing: those are listed by name. */
const MISSING: ReadonlySet<string> = new Set(['blob_missing']);

/**
 * Runs the verifier over what is staged. Throws `refused` for what it finds, except for bytes that are listed
 * as lost.
 */
export async function verifyStaged(
  restoration: Restoration,
  store: LedgerStore,
  vkey: string,
): Promise<Verdict> {
  const note = await guardNote(restoration);
  const closing = new ClosingHeads(restoration.parts.data);
  const blobs = PackedBlobStore.reader(restoration.folder.blobs);
  const verdict = await restoration.parts.verify(
    {
      rows: () => store.rows(),
      guard: () => Promise.resolve(note),
      closingHead: (number) => closing.read(number),
      async blob(hash) {
        const found = await blobs.read(hash);
        if (found === undefined) return undefined;
        const chunks: Uint8Array[] = [];
        for await (const chunk of found.chunks()) chunks.push(chunk);
        return new Uint8Array(Buffer.concat(chunks));
      },
    },
    vkey,
  );
  if (verdict.outcome === 'incomplete') {
    throw new Fault('refused', 'restore', {
      expected: 'a verification of what was restored',
      found: verdict.reason,
    });
  }
  const findings = findingsOf(verdict).filter(({ code }) => !MISSING.has(code));
  if (findings.length === 0 || restoration.parts.acceptFindings) return verdict;
  const [first] = findings;
  throw new Fault('refused', 'restore', {
    expected:
      'a log that the verifier finds nothing in; --accept-findings puts one into place whose entries were ' +
      'published with them',
    found: `${findings.length}, the first: ${first?.code} at ${first?.place}: expected ${first?.expected}, found ${first?.found}`,
  });
}

function findingsOf(verdict: Verdict): readonly {
  readonly code: string;
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}[] {
  return verdict.outcome === 'verified' ? [] : verdict.findings;
}

/** How many findings there are, including those that are not listed in a verdict. */
export function countOf(verdict: Verdict): number {
  return verdict.outcome === 'findings' ? verdict.findings_count : findingsOf(verdict).length;
}
