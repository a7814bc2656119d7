import { Fault } from '@assay/core/fault';

/** The parts of the page that `--placebo` writes. */
export type PartName = 'simulated' | 'recorded';

/** The page with another part between its marks. Throws `malformed` if the page has no such marks. */
export function withPart(page: string, name: PartName, text: string): string {
  const [from, to] = [`<!-- placebo ${name} -->`, `<!-- end of placebo ${name} -->`];
  const [before, rest] = page.split(`${from}\n`);
  const after = rest?.split(`${to}\n`)[1];
  if (before === undefined || after === undefined) {
    throw new Fault('malformed', 'page', { expected: `${from} and ${to}`, found: 'no such lines' });
  }
  return `${before}${from}\n\n${text.trim()}\n\n${to}\n${after}`;
}
