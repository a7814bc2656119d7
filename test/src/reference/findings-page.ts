import { FINDING_CODES as RECOUNTER_CODES } from '@assay/node/recounter/finding-store';
import { RECOUNTER_MEANINGS } from '@assay/node/recounter/recounter-meaning';
import { FINDING_GROUPS } from '@assay/verifier/summary/finding-text';
import { FINDING_MEANINGS } from '@assay/verifier/summary/finding-meaning';
import { FINDING_REMEDIES } from '@assay/verifier/summary/finding-remedy';
import { type FindingCode, isDemand } from '@assay/verifier/verdict/finding';
import { WATCH_CODES } from '@assay/verifier/watch/watch-finding';
import { WATCH_MEANINGS } from '@assay/verifier/watch/watch-meaning';
import { code, page, table } from './markdown.ts';

/** Everything that a verifier and a watch can find wrong, and what to do about it. */
export function findingsPage(): string {
  const own = FINDING_GROUPS.filter(([, [first]]) => !isDemanded(first));
  const demanded = FINDING_GROUPS.filter(([, [first]]) => isDemanded(first));
  return page('Findings', [
    'What `assay verify` can find wrong with a log, a folder or a bundle. The first line of a verdict has the sentence that is a heading here, with the place; the code is in the finding itself, and keeps its meaning for good. A subject with one finding is NOT VERIFIED. [verify.md](../verify.md) says how each is checked.',
    ...own.flatMap(groupParts),
    '## What you demanded is not met',
    'These are about what you or your policy asked for, and not about the log itself.',
    ...demanded.map(([text, codes]) =>
      [`**${titled(text)}.** ${remedyOf(codes)}`, codeTable(codes)].join('\n\n'),
    ),
    '## Findings of a watch',
    '`assay watch` compares logs and addresses with each other, and finds what one log alone does not show ([how it watches](../verify.md#watching)).',
    actedTable(WATCH_CODES, WATCH_MEANINGS),
    '## Findings of a recounter',
    'A recounter lists at `/findings` what it holds against its publisher, against others, or against itself ([the specification](../spec/recounter-log.md#findings)). What to do is for whoever runs it.',
    actedTable(RECOUNTER_CODES, RECOUNTER_MEANINGS),
  ]);
}

function groupParts([text, codes]: (typeof FINDING_GROUPS)[number]): readonly string[] {
  return [`## ${titled(text)}`, remedyOf(codes), codeTable(codes)];
}

function isDemanded(of: FindingCode | undefined): boolean {
  return of !== undefined && isDemand({ code: of });
}

function titled(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function remedyOf([first]: readonly FindingCode[]): string {
  const remedy = first === undefined ? undefined : FINDING_REMEDIES[first];
  if (remedy === undefined) throw new Error(`FINDING_REMEDIES has nothing for ${first}`);
  return `What to do: ${remedy}`;
}

function codeTable(codes: readonly FindingCode[]): string {
  return table(
    ['code', 'what it means'],
    codes.map((each) => [code(each), FINDING_MEANINGS[each]]),
  );
}

function actedTable<Code extends string>(
  all: readonly Code[],
  meanings: Readonly<Record<Code, { readonly meaning: string; readonly remedy: string }>>,
): string {
  return table(
    ['code', 'what it means', 'what to do'],
    all.map((each) => [code(each), meanings[each].meaning, meanings[each].remedy]),
  );
}
