import { readFile } from 'node:fs/promises';
import { messageOf } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { parseSourceJson } from '@assay/core/source/source-json';
import type { WireValue } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  OPEN_POLICY,
  parsePolicy,
  type Policy,
  requirePolicy,
} from '@assay/verifier/verdict/policy';
import type { Given } from '../command/command.ts';
import { UsageError } from '../command/exit.ts';
import { positive } from '../command/options.ts';
import { optionName } from '../command/parse.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

/** The options that define whom to trust. */
export const POLICY_OPTIONS = {
  key: {
    value: 'VKEY',
    many: true,
    section: 'Whom you trust',
    about: 'The checkpoint key of the log, as you know it from its publisher.',
  },
  logId: {
    value: 'HEX',
    section: 'Whom you trust',
    about: 'The id of the log, which is the leaf hash of its first entry.',
  },
  witness: {
    value: 'OPERATOR=VKEY',
    many: true,
    section: 'Whom you trust',
    about: 'A witness whose cosignature counts, and who runs it.',
  },
  witnesses: {
    value: 'N',
    section: 'Whom you trust',
    about:
      'How many operators of witnesses must have cosigned. The default is all of them; with 0 those who have are named.',
  },
  witnessMaxAge: {
    value: 'S',
    section: 'Whom you trust',
    about: 'Do not count a cosignature that is older than S seconds.',
  },
  cosigner: {
    value: 'OPERATOR=KEY',
    many: true,
    section: 'Whom you trust',
    about: 'A co-signer whose agreement counts, and who runs it. The key is in hex.',
  },
  cosigners: {
    value: 'N',
    section: 'Whom you trust',
    about:
      'How many operators of co-signers must agree with each final report. The default is all of them; with 0 none needs to.',
  },
  policy: {
    value: 'FILE',
    section: 'Whom you trust',
    about:
      'A policy file, which takes the place of the options above. docs/verify.md describes it.',
  },
  strict: {
    section: 'Whom you trust',
    about: 'Demand that every signature of the checkpoint is by a key that you have named.',
  },
  complete: {
    section: 'Whom you trust',
    about:
      'Demand that every period that is due is printed or void, and that no Close and no daily index entry is missing. A bundle cannot show that.',
  },
} as const;

type PolicyValues = Given<typeof POLICY_OPTIONS>;

/** The policy from a command line, in a file or in options. Throws `UsageError`. */
export async function policyOf(values: PolicyValues): Promise<Policy> {
  const { policy: file, strict, complete } = values;
  if (file === undefined) return { ...namedPolicy(values, strict), complete };
  const other = Object.keys(POLICY_OPTIONS).find((name) => {
    const given = values[name as keyof PolicyValues];
    return (
      name !== 'policy' && typeof given !== 'boolean' && given !== undefined && given.length > 0
    );
  });
  if (other !== undefined) {
    throw new UsageError(`--policy takes the place of ${optionName(other)}`);
  }
  try {
    const text = await readFile(file, 'utf8');
    // JSON.parse takes the last of two members with one name, but a root of trust must have one meaning.
    parseSourceJson(text, NO_LIMIT);
    const policy = parsePolicy(nodeSha256, JSON.parse(text) as WireValue);
    return {
      ...policy,
      strict: policy.strict || strict,
      complete: policy.complete || complete,
    };
  } catch (error) {
    throw new UsageError(`the policy file ${file} cannot be read: ${messageOf(error)}`);
  }
}

function namedPolicy(values: PolicyValues, strict: boolean): Policy {
  const witnesses = values.witness.map((text) => {
    const [operator, vkey] = named(text, '--witness OPERATOR=VKEY');
    return { operator, vkey };
  });
  const cosigners = values.cosigner.map((text) => {
    const [operator, key] = named(text, '--cosigner OPERATOR=KEY');
    if (!isHex(key, 32)) throw new UsageError('the KEY of --cosigner is 64 lower-case hex digits');
    return { operator, key };
  });
  const logId = values.logId;
  const maxAge =
    values.witnessMaxAge === undefined
      ? undefined
      : positive(values.witnessMaxAge, '--witness-max-age');
  if (maxAge !== undefined && witnesses.length === 0) {
    throw new UsageError('--witness-max-age is the age of cosignatures by a --witness');
  }
  try {
    const policy: Policy = {
      ...OPEN_POLICY,
      checkpoint_keys: values.key,
      log_id: logId === undefined ? null : toHashHex(logId),
      strict,
      witnesses,
      witnesses_required: required(values.witnesses, '--witnesses', witnesses),
      witness_max_age_s: maxAge ?? null,
      cosigners,
      cosigners_required: required(values.cosigners, '--cosigners', cosigners),
    };
    return requirePolicy(nodeSha256, policy);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function named(text: string, option: string): readonly [string, string] {
  // An operator's name has no equals sign; a key's base64 may end with one.
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${option} names who runs it`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * How many operators are required: by default as many as are named. With 0, those who have signed are only
 * named.
 */
function required(
  text: string | undefined,
  option: string,
  listed: readonly { readonly operator: string }[],
): number {
  if (text === '0') return 0;
  if (text !== undefined) return positive(text, option);
  return new Set(listed.map(({ operator }) => operator)).size;
}
