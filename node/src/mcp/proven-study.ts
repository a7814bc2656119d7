import { isDeepStrictEqual } from 'node:util';
import { faultCode } from '@assay/core/fault';
import { type EdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { nodeSha256 } from '../platform/node-sha256.ts';
import type { FrozenStudy } from '../terminal/answer/base-rate-group.ts';
import { failed } from './tool-call.ts';
import type { ToolFailure } from './tool.ts';
import type { ProvenStudy, Voucher } from './voucher.ts';

/** A study whose entry and bytes were proven, and whose groups follow from its openings. */
export interface CheckedStudy extends FrozenStudy {
  readonly class: string;
}

/** The study at an entry, made again from its openings; or why nothing that rests on it may be shown. */
export async function checkedStudy(
  voucher: Voucher,
  seq: number,
): Promise<CheckedStudy | { readonly error: ToolFailure }> {
  const proven = await voucher.study(seq);
  if (!proven.ok) return { error: unproven(proven.code, seq, proven.why) };
  const { body } = proven;
  const blob = studyIn(proven);
  if (blob === undefined) {
    return { error: unproven('differs', seq, 'its bytes are no study of its entry') };
  }
  const { groups, later_from } = edgeGroups(nodeSha256, blob.class, blob.number, blob.moments);
  if (
    !isDeepStrictEqual({ groups, later_from }, { groups: blob.groups, later_from: blob.later_from })
  ) {
    return { error: unproven('differs', seq, 'its groups do not follow from its openings') };
  }
  return { row: { ...body, seq }, blob, class: body.class };
}

/** The bytes as a study; undefined where they are none, or are of another class, rule or range than the entry. */
function studyIn({ body, bytes }: ProvenStudy): EdgeStudy | undefined {
  try {
    const blob = parseEdgeStudy(bytes);
    const isOfEntry = (['class', 'rule', 'from', 'to'] as const).every(
      (name) => blob[name] === body[name],
    );
    return isOfEntry ? blob : undefined;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}

function unproven(code: string, seq: number, why: string): ToolFailure {
  return failed(
    code,
    `The study at entry ${seq} was not verified, and nothing of the answer is shown: ${why}`,
  );
}
