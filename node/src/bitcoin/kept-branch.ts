import { type Branch, lastCommon, newest, tipHeight, workFrom } from './header-branch.ts';

/** The most headers that are held: four epochs, more than one refresh reads of a gap. */
export const MAX_HELD = 8064;

/** Chooses between the branch that is kept and one that a source shows. */
export function better(kept: Branch | undefined, shown: Branch): Branch {
  if (kept === undefined) return shown;
  const common = lastCommon(kept, shown);
  if (common !== undefined) {
    const more = workFrom(shown, common + 1) - workFrom(kept, common + 1);
    // The same chain: takes the branch that goes back further, so that no header is read twice.
    if (more === 0n && tipHeight(kept) === common) return shown.first < kept.first ? shown : kept;
    return more > 0n ? carried(kept, shown, common) : kept;
  }
  // If they share no block, their work cannot be compared, and the heights are only a claim of the source.
  return kept;
}

/** `shown`, with the older headers of `kept` that both share. */
function carried(kept: Branch, shown: Branch, common: number): Branch {
  if (kept.first >= shown.first) return shown;
  const from = common + 1 - shown.first;
  return newest(
    {
      first: kept.first,
      headers: [...kept.headers.slice(0, common + 1 - kept.first), ...shown.headers.slice(from)],
      ids: [...kept.ids.slice(0, common + 1 - kept.first), ...shown.ids.slice(from)],
    },
    MAX_HELD,
  );
}
