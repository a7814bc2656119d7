import { ReadStopped } from './value.ts';

/** Where `anchor` begins in `text`. Not there: `not_published`; there twice, overlapping or not: `malformed`. */
export function anchorIn(text: string, anchor: string): number {
  const at = text.indexOf(anchor);
  if (at < 0) throw new ReadStopped('not_published', 'the anchor is not there');
  if (text.includes(anchor, at + 1)) throw new ReadStopped('malformed', 'the anchor twice');
  return at;
}
