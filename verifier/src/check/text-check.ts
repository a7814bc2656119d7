import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { PageBytes } from '@assay/core/read/reading';
import type { Provider } from '@assay/core/rule/rule';
import type { Extractor, Snapshot } from '@assay/core/read/snapshot';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** What the check of the text between the pages and the rule needs. */
export interface TextContext {
  readonly tools: Pick<Environment, 'sha256' | 'extractText'>;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  /** What the rule reads in the pages if this is their text, as a sentence. */
  readonly readIn: (text: Uint8Array | null) => string;
}

/**
 * Takes the text of a snapshot from its pages again, where this environment can. Where it cannot, the verdict says that
 * this was not repeated. A publisher names the program that took the text. Where the program here is another one, the
 * rule must read the same in both texts.
 */
export async function checkText(
  snapshot: Snapshot,
  { pages, text }: { readonly pages: readonly PageBytes[]; readonly text: Uint8Array | null },
  provider: Provider,
  place: string,
  { tools: { sha256, extractText }, findings, notChecked, readIn }: TextContext,
): Promise<void> {
  const kind = provider.text;
  // Pages that are no answer have no text, and the reading itself says so.
  if (kind === 'none' || pages.some(({ status }) => status !== 200)) return;
  const what = 'the text in the pages';
  const bytes = pages.map((page) => page.bytes);
  const made = extractText === undefined ? undefined : await extractText(kind, bytes);
  const { extractor } = snapshot;
  if (made === undefined) {
    notChecked.add(
      'sources',
      what,
      kind === 'pdf'
        ? `it was taken by ${nameOf(extractor)}, and that was not repeated (--extract does)`
        : 'the log keeps the list of transactions, not the transactions',
      kind === 'pdf' ? 'extract' : 'none',
      provider.id,
    );
    return;
  }
  if (extractor !== null && nameOf(extractor) !== nameOf(made)) {
    const [expected, found] = [readIn(made.bytes), readIn(text)];
    if (expected !== found) {
      findings.add('text_differs', place, `${expected}, by ${nameOf(made)}`, found);
      return;
    }
    notChecked.add(
      'sources',
      what,
      `it was taken by ${nameOf(extractor)}; in the text of ${nameOf(made)} the rule reads the same`,
      'none',
      provider.id,
    );
    return;
  }
  const expected = made.bytes === null ? 'none' : hashHex(contentHash(sha256, made.bytes));
  const found = extractor?.text_sha256 ?? 'none';
  if (expected !== found) findings.add('text_differs', place, expected, found);
}

function nameOf(extractor: Pick<Extractor, 'name' | 'version'> | null): string {
  return extractor === null ? 'no program' : `${extractor.name} ${extractor.version}`;
}
