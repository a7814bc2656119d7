import { getBaseRate } from '../api/operation/terminal-operations.ts';
import { baseRateAnswer } from '../api/schema/base-rate.ts';
import { type ApiCaller, jsonOf } from './api-caller.ts';
import type { ProofAddress, Tool } from './tool.ts';
import { answered, callTarget, failed, refused, validNames } from './tool-call.ts';
import { toolInput } from './tool-schema.ts';
import { unverified } from './voucher.ts';

const PATTERN = '/base-rate/:symbol';
const INPUT = toolInput(getBaseRate);

const NOT_NUMBERS =
  'The verifier beside this tool proves numbers of indexes, and no base rates. `assay verify` makes every study of the log again.';

export const baseRateTool: Tool = {
  name: 'base_rate',
  title: 'Base rate',
  description:
    'What usually happened to an asset after a move like its present one, from a frozen study. `base_rate` is null, with a reason, where nothing is known that holds. It is history and no forecast.',
  reads: true,
  input: INPUT,
  payload: baseRateAnswer,
  run: async (given, parts) => {
    const target = callTarget(PATTERN, INPUT, given);
    if (target === undefined) return failed('not_listed: There is no such asset.');
    const answer = await parts.api.call({ method: 'GET', target });
    if (answer.status !== 200) return refused(answer, () => validSymbols(parts.api));
    const payload = jsonOf(answer);
    if (!baseRateAnswer.safeParse(payload).success) {
      return failed('malformed: The answer is not what the interface promises.');
    }
    const { source } = payload as { source?: { blob: string; seq: number } };
    const proofs: readonly ProofAddress[] =
      source === undefined
        ? []
        : [{ of: `study at entry ${source.seq}`, url: `${parts.api.base}/v1/blob/${source.blob}` }];
    const verification = unverified(parts.vouching, NOT_NUMBERS);
    return answered(parts, target, payload as object as Record<string, unknown>, {
      proofs,
      verification,
    });
  },
};

/** The symbols on the board. */
async function validSymbols(api: ApiCaller): Promise<string | undefined> {
  const board = jsonOf(await api.call({ method: 'GET', target: '/v1/board' }));
  const { assets } = (board ?? {}) as { assets?: unknown };
  const rows = Array.isArray(assets) ? (assets as { symbol?: unknown }[]) : [];
  return validNames(
    'symbols',
    rows.map((row) => row?.symbol),
  );
}
