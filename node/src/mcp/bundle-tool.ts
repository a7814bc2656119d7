import { z } from 'zod';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault, messageOf } from '@assay/core/fault';
import { formatScaled } from '@assay/core/number/rational';
import { reportIn } from '@assay/verifier/client/bundle-contents';
import { gatherBundle, type MadeBundle } from '@assay/verifier/client/bundle-maker';
import { KeptFiles } from '@assay/verifier/client/kept-files';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { getReport } from '../api/operation/index-operations.ts';
import { about, dateText, decimalText, hashText } from '../api/schema/field.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { type ApiAnswer, type ApiCaller, jsonOf } from '../call/api-caller.ts';
import { BUNDLE_REQUESTS } from './bundle-desk.ts';
import type { Tool, ToolAnswer, ToolArguments, ToolFailure, ToolParts } from './tool.ts';
import {
  answered,
  callTarget,
  failed,
  refused,
  unfit,
  validNames,
  validTickers,
} from './tool-call.ts';
import { toolInput } from './tool-schema.ts';
import { unverified, type Verification, vouched, type VouchedNumber } from './voucher.ts';

const PATTERN = '/indices/:ticker/report';
const INPUT = toolInput(getReport);
const PERIODS = { names: ['ticker'], query: ['limit'] } as const;

/** Seconds after which to ask again where the queue is full. */
const BUSY_S = 5;

/** The facts of a bundle's file. */
const payload = z.looseObject({
  ticker: about(z.string(), 'The index.', 'LAYOFFS'),
  period: about(dateText, 'The period.', '2026-07-25'),
  status: about(z.string(), 'The status of the report.', 'final'),
  value: about(decimalText.nullable(), 'The value as exact text; null for a void.', '215000'),
  unit: about(z.string(), 'Its unit.', 'claims'),
  entry: about(z.int(), 'The entry of the log that holds the report.', 63),
  file: about(
    z.looseObject({
      uri: about(
        z.string(),
        'The resource with the file itself.',
        'assay://bundle/LAYOFFS/2026-07-25',
      ),
      bytes: about(z.int(), 'Its size.', 48_213),
      sha256: about(hashText, 'Its SHA-256.', '7f'.repeat(32)),
    }),
    'The file that proves the number offline, with `assay verify FILE`.',
  ),
});

export const getBundleTool: Tool = {
  name: 'get_bundle',
  title: 'Get the proof of a number',
  description:
    'The file that proves one number offline: the signed report, the kept source bytes, the Merkle proofs and the signed checkpoint. A void has one like any number. The answer has its facts and its SHA-256; the file itself is the resource that `file.uri` names, to be kept and checked with `assay verify`.',
  reads: true,
  input: INPUT,
  payload,
  run: getBundle,
};

/** A bundle with what it was gathered from; or why there is none. A void has one, like any number. */
export async function bundleOf(
  given: ToolArguments,
  parts: ToolParts,
): Promise<MadeBundle | { readonly error: ToolFailure }> {
  const { api, bundles, signal, charge } = parts;
  const target = callTarget(PATTERN, INPUT, given);
  if (target === undefined) return { error: failed('not_found', 'There is no such index.') };
  // Answered first, so that what is missing is named as the API names it.
  const answer = await api.call({ method: 'GET', target, signal });
  const hash = reportHashIn(answer);
  if (hash === undefined) {
    if (answer.status === 200) return { error: unfit(target) };
    return {
      error: await refused(answer, (code) =>
        code === 'no_report' ? validPeriods(parts, given) : validTickers(parts),
      ),
    };
  }
  const index = String(given['ticker']);
  const period = typeof given['period'] === 'string' ? given['period'] : undefined;
  const gather = (ended: AbortSignal): Promise<MadeBundle> =>
    gatherBundle(new KeptFiles(readerOf(api, ended)), { index, period }, nodeSha256);
  try {
    const done = await bundles.bundle(`${index.toLowerCase()} ${hash}`, gather, { signal, charge });
    if (done.kind === 'made') return done.made;
    return { error: done.kind === 'busy' ? BUSY : spent(done.retryAfterS) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { error: failed(error.code, `No bundle can be made: ${messageOf(error)}`) };
  }
}

const BUSY: ToolFailure = failed(
  'busy',
  `As many bundles are being gathered as there is room for. Try again after ${BUSY_S} s.`,
);

function spent(retryAfterS: number): ToolFailure {
  const text = `A bundle counts as ${BUNDLE_REQUESTS} requests, and the budget of this address is spent.`;
  return failed('rate_limited', `${text} Try again after ${retryAfterS} s.`);
}

/** The hash of the report that an answer has. A signed void is in the body of a 404. */
function reportHashIn(answer: ApiAnswer): string | undefined {
  if (answer.status !== 200 && answer.status !== 404) return undefined;
  const body = jsonOf(answer) as { hash?: unknown; void?: unknown } | null | undefined;
  const found =
    answer.status === 200 ? body : (body?.void as { hash?: unknown } | null | undefined);
  return typeof found?.hash === 'string' ? found.hash : undefined;
}

async function getBundle(given: ToolArguments, parts: ToolParts): Promise<ToolAnswer> {
  const made = await bundleOf(given, parts);
  if ('error' in made) return made.error;
  const checked = await checkedBundle(made, parts);
  if ('error' in checked) return checked.error;
  const { ticker, period, status, value, unit } = checked.number;
  const target = `/v1/indices/${encodeURIComponent(ticker)}/report?period=${period}`;
  const content = {
    ticker,
    period,
    status,
    value,
    unit,
    entry: made.seq,
    file: {
      uri: bundleUri(ticker, period),
      bytes: made.bytes.length,
      sha256: formatHex(nodeSha256(made.bytes)),
    },
  };
  const proofs = [{ of: `${ticker} ${period}`, url: `${parts.api.base}${target}` }];
  return answered(parts, target, content, { proofs, verification: checked.verification });
}

/** What is said of a bundle's number: proven where a verifier runs beside the tools, and otherwise as the server has it. */
type BundleNumber = Pick<VouchedNumber, 'ticker' | 'period' | 'status' | 'value' | 'unit'>;

/**
 * The number of the file, and the verdict on it. With a verifier both come from the file itself, whose report has to be the one that is the newest
 * of its period under the newest head.
 */
export async function checkedBundle(
  { report, rule, bytes, seq }: MadeBundle,
  { vouching, bundles }: ToolParts,
): Promise<
  | { readonly number: BundleNumber; readonly verification: Verification }
  | { readonly error: ToolFailure }
> {
  const { period } = report;
  if (vouching.by !== 'verifier') {
    const { status, value, decimals } = report;
    const exact = value === null ? null : formatScaled(BigInt(value), decimals);
    const number = { ticker: rule.display, period, status, value: exact, unit: rule.unit };
    return { number, verification: unverified(vouching, '') };
  }
  const { voucher } = vouching;
  const asked = { index: rule.display, period };
  const name = `${asked.index} ${asked.period}`;
  const answer = await voucher.number(asked.index, asked.period);
  if (!answer.ok) {
    bundles.clear();
    return { error: failed(answer.code, `${name} was not verified: ${answer.why}`) };
  }
  const verdict = await voucher.bundle(bytes, asked);
  const facts = verdict.outcome === 'verified' ? verdict.number : null;
  if (facts === null) {
    bundles.clear();
    const text = `The file that was gathered for ${name} does not verify.`;
    return { error: failed(verdict.outcome, text) };
  }
  const hash = answer.facts.report_hash;
  if (facts.report_hash !== hash || reportIn(bytes, seq, hash, nodeSha256) === undefined) {
    bundles.clear();
    const text = `The file that was gathered for ${name} is not of its newest report. Ask again.`;
    return { error: failed('superseded', text) };
  }
  const why =
    'The verifier of this machine checked the file with the key that it was given, and that the newest head has no later report of the period.';
  const number = vouched(answer);
  return { number, verification: { verdict: 'verified', why, numbers: [number] } };
}

/** The newest periods of an index that have a report. */
async function validPeriods(
  { api, signal }: ToolParts,
  given: ToolArguments,
): Promise<string | undefined> {
  const target = callTarget('/indices/:ticker/periods', PERIODS, { ...given, limit: '20' });
  if (target === undefined) return undefined;
  const page = jsonOf(await api.call({ method: 'GET', target, signal }));
  const { periods } = (page ?? {}) as { periods?: unknown };
  const rows = Array.isArray(periods)
    ? (periods as { period?: unknown; report_hash?: unknown }[])
    : [];
  const signed = rows.filter((row) => typeof row?.report_hash === 'string');
  return validNames(
    'periods',
    signed.map(({ period }) => period),
  );
}

/** The address of a bundle among the resources. */
export function bundleUri(ticker: string, period: string): string {
  return `assay://bundle/${encodeURIComponent(ticker)}/${period}`;
}

/** The log of a caller, until `ended` is aborted. */
function readerOf(api: ApiCaller, ended: AbortSignal): LogReader {
  return {
    live: true,
    get: async (path) => {
      ended.throwIfAborted();
      const { status, body } = await api.call({ method: 'GET', target: path, signal: ended });
      return { status, body, logSize: undefined };
    },
  };
}
