import { getBaseRate } from '../api/operation/terminal-operations.ts';
import { baseRateAnswer } from '../api/schema/base-rate.ts';
import type { NoRatePayload, RatePayload } from '../terminal/answer/base-rate.ts';
import { jsonOf } from '../call/api-caller.ts';
import { rateVerdict } from './base-rate-verdict.ts';
import type { ProofAddress, Tool, ToolParts } from './tool.ts';
import { answered, callTarget, failed, refused, unfit, validNames } from './tool-call.ts';
import { toolInput } from './tool-schema.ts';
import { unverified } from './voucher.ts';

const PATTERN = '/base-rate/:symbol';
const INPUT = toolInput(getBaseRate);

export const baseRateTool: Tool = {
  name: 'base_rate',
  title: 'Base rate',
  description:
    'What usually happened after openings like that of an asset now, from a frozen study that was replicated in later months and on other assets. `base_rate` is null, with a reason and its numbers, where nothing is known that holds. While no asset of its class has a reading of now, the call fails with `halted`. It is history and no forecast.',
  reads: true,
  input: INPUT,
  payload: baseRateAnswer,
  run: async (given, parts) => {
    const target = callTarget(PATTERN, INPUT, given);
    if (target === undefined) return failed('not_listed', 'There is no such asset.');
    const answer = await parts.api.call({ method: 'GET', target, signal: parts.signal });
    if (answer.status !== 200) {
      return refused(answer, async (code) =>
        code === 'not_listed' ? validSymbols(parts) : undefined,
      );
    }
    const payload = jsonOf(answer);
    if (!baseRateAnswer.safeParse(payload).success) return unfit(target);
    const served = payload as RatePayload | NoRatePayload;
    if (served.symbol !== String(given['symbol']).toUpperCase()) {
      return failed('other_symbol', `The server answered with the asset ${served.symbol}.`);
    }
    const source = 'source' in served ? served.source : served.numbers.study;
    const proofs: readonly ProofAddress[] =
      source === null
        ? []
        : [{ of: `study at entry ${source.seq}`, url: `${parts.api.base}/v1/blob/${source.blob}` }];
    if (parts.vouching.by !== 'verifier') {
      const verification = unverified(parts.vouching, '');
      return answered(parts, target, { ...served }, { proofs, verification });
    }
    const proven = await rateVerdict(parts.vouching.voucher, served);
    if ('error' in proven) return proven.error;
    return answered(parts, target, proven.shown, { proofs, verification: proven.verification });
  },
};

/** The symbols on the board. */
async function validSymbols({ api, signal }: ToolParts): Promise<string | undefined> {
  const board = jsonOf(await api.call({ method: 'GET', target: '/v1/board', signal }));
  const { assets } = (board ?? {}) as { assets?: unknown };
  const rows = Array.isArray(assets) ? (assets as { symbol?: unknown }[]) : [];
  return validNames(
    'symbols',
    rows.map((row) => row?.symbol),
  );
}
