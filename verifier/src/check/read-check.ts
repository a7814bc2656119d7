import { copyDiffers } from '@assay/core/read/custody';
import { type PageBytes, readAnswer } from '@assay/core/read/reading';
import type { Read, Report } from '@assay/core/report/report';
import { fillRequest } from '@assay/core/rule/fill';
import type { Provider, Rule } from '@assay/core/rule/rule';
import type { Snapshot } from '@assay/core/read/snapshot';
import type { WorkBudget } from '@assay/core/work-budget';
import type { EvidenceReader } from '../reader/blobs.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Findings } from '../verdict/finding.ts';
import { checkText } from './text-check.ts';
import type { NotCheckedList, Tally } from '../verdict/verdict.ts';

/** Outcomes that concern the way to the source. No bytes can prove or refute them. */
const CLAIMS: ReadonlySet<string> = new Set([
  'unreachable',
  'timeout',
  'too_large',
  'redirect_refused',
]);

/** What all checks of a log share. */
export interface CheckContext {
  readonly evidence: EvidenceReader;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  readonly tally: Tally;
  /** What the checks may cost. */
  readonly work: WorkBudget;
  /** Lets other tasks run. An error that it throws ends the verification. */
  readonly pause?: () => Promise<void>;
}

/**
 * Runs the rule again on the kept bytes of each read of a report, and demands the outcome and the value that the report
 * names. The reads must be those of the rule's providers, each once and in the rule's order. Returns the reads that
 * follow from the bytes; undefined where the rule was not run on all of them.
 */
export async function checkReads(
  report: Report,
  rule: Rule,
  period: number,
  place: string,
  context: CheckContext,
): Promise<readonly Read[] | undefined> {
  const expected = rule.providers.map(({ id, role, retain }) => `${id} ${role} ${retain}`);
  const found = report.reads.map(({ provider, role, retain }) => `${provider} ${role} ${retain}`);
  if (expected.join(', ') !== found.join(', ')) {
    context.findings.add('read_unlisted', place, expected.join(', '), found.join(', '));
    return undefined;
  }
  const again: (Read | undefined)[] = [];
  for (const [i, provider] of rule.providers.entries()) {
    const read = report.reads[i] as Read;
    const at = `${place}, read of ${provider.id}`;
    const record = await recordOf(report, rule, provider, context);
    again.push(await checkRead(read, rule, provider, period, at, record, context));
  }
  return again.every((read) => read !== undefined) ? again : undefined;
}

/** The outcome for the record that a custody read is a copy of. */
async function recordOf(
  report: Report,
  rule: Rule,
  copy: Provider,
  { evidence }: CheckContext,
): Promise<Snapshot | undefined> {
  if (copy.role !== 'custody') return undefined;
  const index = rule.providers.findIndex(
    ({ role, group }) => role === 'record' && group === copy.group,
  );
  const hash = report.reads[index]?.snapshot ?? null;
  return hash === null ? undefined : (await evidence.evidence(hash))?.snapshot;
}

async function checkRead(
  read: Read,
  rule: Rule,
  provider: Provider,
  period: number,
  place: string,
  record: Snapshot | undefined,
  context: CheckContext,
): Promise<Read | undefined> {
  const { findings, notChecked, tally } = context;
  if (read.snapshot === null) {
    if (CLAIMS.has(read.outcome)) {
      notChecked.add(
        'sources',
        `failed reads (${read.outcome})`,
        'that a source did not answer leaves no bytes to check',
        'none',
        provider.id,
      );
    } else {
      findings.add('read_unfounded', place, `a snapshot for the outcome ${read.outcome}`, 'none');
    }
    return read.outcome === 'ok' ? { ...read, outcome: 'malformed', value: null } : read;
  }
  const evidence = await context.evidence.evidence(read.snapshot);
  if (evidence === undefined) return undefined;
  const { snapshot, pages, text } = evidence;
  if (!checkRequest(snapshot, rule, provider, period, place, findings)) return undefined;
  const differs = copyDiffers(record, snapshot);
  const found = `${read.outcome} ${read.value ?? ''}`.trim();
  if (differs || read.outcome === 'copy_differs') {
    if (!differs) findings.add('read_differs', place, 'the content of the record', found);
    else if (found !== 'copy_differs') findings.add('read_differs', place, 'copy_differs', found);
    return differs ? { ...read, outcome: 'copy_differs', value: null } : undefined;
  }
  if (pages === undefined) {
    notChecked.add(
      'sources',
      'reads',
      `the source's terms let the log keep no bytes (retain: ${snapshot.retain})`,
      'none',
      provider.id,
    );
    return undefined;
  }
  const { tools, answers } = context.evidence;
  const readIn = (each: Uint8Array | null): string => {
    const { reading: made } = readAnswer(rule, provider, pages, period, each, context.work);
    return made.outcome === 'ok' ? `ok ${made.value}` : made.outcome;
  };
  await checkText(snapshot, { pages, text }, provider, place, {
    tools,
    findings,
    notChecked,
    readIn,
  });
  const { reading } = await answers.read(
    rule,
    provider,
    { hash: read.snapshot, pages, text },
    period,
  );
  // A page at the limits takes seconds, so other tasks may run before the next one.
  if (isLong(pages)) await context.pause?.();
  const value = reading.outcome === 'ok' ? reading.value.toString() : null;
  tally.reads_reexecuted += 1;
  if (reading.outcome !== read.outcome || value !== read.value) {
    findings.add('read_differs', place, `${reading.outcome} ${value ?? ''}`.trim(), found);
  }
  if (reading.outcome !== 'ok') {
    notChecked.add(
      'sources',
      `failed reads (${reading.outcome})`,
      'the kept answer says so, and only the publisher says that the source gave it',
      'none',
      provider.id,
    );
  }
  return { ...read, outcome: reading.outcome, value };
}

/** Bytes from which an answer takes long to read. */
const LONG_ANSWER = 1_048_576;

function isLong(pages: readonly PageBytes[]): boolean {
  return pages.reduce((sum, { bytes }) => sum + bytes.length, 0) >= LONG_ANSWER;
}

/** Checks whether a snapshot is of the request that the rule makes for this period. */
export function checkRequest(
  snapshot: Snapshot,
  rule: Rule,
  provider: Provider,
  period: number,
  place: string,
  findings: Findings,
): boolean {
  const difference = firstDifference(
    {
      provider: provider.id,
      request: fillRequest(provider.request, period, rule),
      retain: provider.retain,
      // Where the rule asks for no text, none was taken.
      extractor: provider.text === 'none' ? null : snapshot.extractor,
    },
    {
      provider: snapshot.provider,
      request: snapshot.request,
      retain: snapshot.retain,
      extractor: snapshot.extractor,
    },
  );
  if (difference === undefined) return true;
  findings.add(
    'request_differs',
    place,
    `${difference.path} ${difference.expected} (rule ${rule.ticker} ${rule.version})`,
    difference.found,
  );
  return false;
}
