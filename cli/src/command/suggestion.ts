/** What somebody who wrote `word` may have meant, as the end of a sentence; empty if nothing is similar. */
export function didYouMean(word: string, known: readonly string[]): string {
  const letters = word.replace(/^-+/, '');
  const most = Math.min(3, Math.max(1, Math.floor(letters.length / 3)));
  const ranked = known
    .map((each) => ({ each, apart: apartness(letters, each.replace(/^-+/, '')) }))
    .filter(({ apart }) => apart <= most);
  const nearest = Math.min(...ranked.map(({ apart }) => apart));
  const best = ranked.filter(({ apart }) => apart === nearest).map(({ each }) => each);
  return best.length === 0 ? '' : `; did you mean ${best.slice(0, 3).join(' or ')}?`;
}

/** The edit distance of two words. A word that begins with all of the other is near, however long it is. */
function apartness(word: string, known: string): number {
  const isStart = word.length >= 3 && known.startsWith(word);
  return isStart ? 1 : editDistance(word, known);
}

/**
 * How many letters must be inserted, deleted, replaced or swapped with their neighbour to make one word from
 * the other: the optimal string alignment distance (Damerau 1964, Wagner and Fischer 1974).
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const edits = [
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + same,
      ];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits.push((before[j - 2] as number) + 1);
      row.push(Math.min(...edits));
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
}
