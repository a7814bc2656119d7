/**
 * About how wide a text is, in parts of the size of its letters: no narrower than it is in Verdana, which is wider than
 * DejaVu Sans and Inter.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const each of text) {
    if (/[ .,:·/|iIlj'!]/.test(each)) width += 0.41;
    else if (/[mwMW%—@]/.test(each)) width += 1;
    else width += /[A-Z]/.test(each) ? 0.77 : 0.66;
  }
  return width;
}
