import type { CloseFile } from '@assay/core/report/close';
import { contentHash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatDate, isDate, parseDate } from '@assay/core/time/time';
import { closesOf, firstClose, newestClose } from '@assay/core/view/closes';
import type { ViewState } from '@assay/core/view/view';
import type { MirrorReader } from '../day/settlement-mirror.ts';
import type { DamageLog } from './damage-log.ts';
import type { ScrubStage, ScrubStep } from './scrub-stage.ts';

export interface SettlementStageParts {
  /** The rows of what is published. */
  readonly views: () => ViewState;
  readonly files: MirrorReader;
  readonly sha256: Sha256;
  readonly damage: DamageLog;
}

/** Checks the settlement files against the SHA-256 that their Close names, day by day. */
export function settlementStage(parts: SettlementStageParts): ScrubStage {
  return {
    name: 'settlement files',
    steps: (place) => daySteps(parts, place),
    recheck: {
      part: 'settlement',
      copyOf: null,
      check: async (path) => {
        const named = namedFile(parts.views(), path);
        if (named !== undefined) await readSettlement(parts, named);
      },
    },
  };
}

/** `place` is the newest day that is done. */
async function* daySteps(parts: SettlementStageParts, place: string): AsyncGenerator<ScrubStep> {
  const views = parts.views();
  const [first, newest] = [firstClose(views), newestClose(views)];
  if (first === undefined || newest === undefined) return;
  const [from, to] = [parseDate(first), parseDate(newest)];
  for (let day = from; day <= to; day += 1) {
    const name = formatDate(day);
    if (name <= place) continue;
    let bytes = 0;
    for (const { content } of closesOf(parts.views(), name)) {
      for (const file of content.files) {
        const { state, body } = await readSettlement(parts, file);
        if (state === 'sound') bytes += body.length;
      }
    }
    yield { place: name, share: (day - from + 1) / (to - from + 1), bytes };
  }
}

/** A settlement file, with its bytes if they are those that its Close names. */
export type ReadSettlement =
  | { readonly state: 'sound'; readonly body: Uint8Array }
  | { readonly state: 'damaged' | 'missing'; readonly body?: undefined };

/** Reads a settlement file and checks it against its Close. What is wrong with it is recorded. */
export async function readSettlement(
  { files, sha256, damage }: Pick<SettlementStageParts, 'files' | 'sha256' | 'damage'>,
  { path, sha256: expected }: CloseFile,
): Promise<ReadSettlement> {
  const body = await files(path);
  if (body === undefined) {
    damage.note('settlement', path, 'missing');
    return { state: 'missing' };
  }
  if (hashHex(contentHash(sha256, body)) !== expected) {
    damage.note('settlement', path, 'damaged');
    return { state: 'damaged' };
  }
  damage.whole('settlement', path);
  return { state: 'sound', body };
}

/** The file that a Close of the published log names. Until then it may still be written again. */
export function namedFile(views: ViewState, path: string): CloseFile | undefined {
  const day = path.slice(0, 10);
  if (!isDate(day)) return undefined;
  return closesOf(views, day)
    .flatMap(({ content }) => content.files)
    .find((file) => file.path === path);
}
