import { hashHex, leafHash } from '@assay/core/hash';
import { recomputeIndex } from '@assay/core/index-fold';
import type { IndexContent } from '@assay/core/kind/index-entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatDate, parseDate, toTime } from '@assay/core/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { nodeSha256 } from '@assay/node/node-sha256';
import { Forge, type Forgeable, type Loose, type LooseDraft } from './forge.ts';

/** What an index entry is to say, where it is not what the log makes it. */
export type Bend = (said: LooseDraft) => void;

/**
 * A log under change with an index entry before the first entry of each day. `change` comes before the lists are made,
 * so that a dishonest publisher's index is of what it has put in; `bend` has the last of them say something else.
 */
export function indexedForge(
  log: Forgeable,
  { change = () => undefined, bend }: { change?: (forge: Forge) => void; bend?: Bend } = {},
): Forge {
  const forge = new Forge(log);
  change(forge);
  // Closes name files that say at which entry things stand.
  const whole = forge.drafts.splice(0).filter(({ kind }) => kind !== 'close/1');
  const views = new MemoryViews();
  const id = hashHex(leafHash(nodeSha256, log.entries[0] as Uint8Array));
  const append = (draft: LooseDraft): void => {
    const known = bodyParser(nodeSha256)(draft.kind, draft.body);
    const seq = forge.drafts.push(draft) - 1;
    if (known === undefined) return;
    const entry = { ...known, seq, at: toTime(draft.at), log: id };
    views.write(foldEntry(entry, views, nodeSha256));
  };
  let day = '';
  for (const draft of whole) {
    const today = draft.at.slice(0, 10);
    if (day !== '' && today > day) {
      const size = forge.drafts.length;
      const content: IndexContent = recomputeIndex(views, nodeSha256, size);
      const body = { day: formatDate(parseDate(today) - 1), size, ...content };
      append({ at: draft.at, kind: 'index/1', body });
    }
    day = today;
    append(draft);
  }
  bend?.(newestIndexDraft(forge).draft);
  return forge;
}

export function newestIndexDraft(forge: Forge): ReturnType<Forge['newest']> {
  return forge.newest(({ kind }) => kind === 'index/1');
}

/** The draft of the period's final of LAYOFFS. */
export function finalOf(wanted: string): (draft: LooseDraft) => boolean {
  return ({ kind, body }) => {
    const { ticker, period, status } = body['report'] ?? {};
    return kind === 'report/1' && ticker === 'LAYOFFS' && period === wanted && status === 'final';
  };
}

/** Puts another final, a void or the same final once more before the honest one, which the API goes on to show. */
export function withAnotherFinal(
  forge: Forge,
  period: string,
  status: 'final' | 'void' | 'double',
): void {
  const { draft, seq } = forge.newest(finalOf(period));
  const second = structuredClone(draft);
  const report = second.body['report'] as Loose;
  if (status !== 'double') report['published_at'] = second.at.replace(/\d\dZ$/, '59Z');
  if (status === 'void') {
    Object.assign(report, { status, reason: 'late', value: null, settleable: false });
    Object.assign(report, { z: null, band: null, dispersion: null });
  }
  forge.sign(second);
  forge.drafts.splice(seq, 0, second);
}
