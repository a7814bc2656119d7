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
import { UsageError } from '../command/exit.ts';
import { positiveOption } from '../command/options.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

interface One {
  readonly type: 'string';
}
interface Many extends One {
  readonly multiple: true;
}

interface PolicyOptions {
  readonly key: Many;
  readonly 'log-id': One;
  readonly witness: Many;
  readonly witnesses: One;
  readonly 'witness-max-age': One;
  readonly cosigner: Many;
  readonly cosigners: One;
  readonly policy: One;
  readonly strict: { readonly type: 'boolean' };
  readonly complete: { readonly type: 'boolean' };
}

const ONE: One = { type: 'string' };
const MANY: Many = { type: 'string', multiple: true };

/** The options that say whom to believe, for `parseArgs`. */
export const POLICY_OPTIONS: PolicyOptions = {
  key: MANY,
  'log-id': ONE,
  witness: MANY,
  witnesses: ONE,
  'witness-max-age': ONE,
  cosigner: MANY,
  cosigners: ONE,
  policy: ONE,
  strict: { type: 'boolean' },
  complete: { type: 'boolean' },
};

/** What a command's help says of them. */
export const POLICY_HELP: string = `  --key VKEY      the log's checkpoint key; may be given more than once
  --log-id HEX    the log's id, the leaf hash of its first entry
  --witness OPERATOR=VKEY  a witness whose cosignature counts; more than once for several
  --witnesses N   so many of their operators must have cosigned (default: all; 0 names who has)
  --witness-max-age S  a cosignature older than S seconds does not count
  --cosigner OPERATOR=KEY  a recount co-signer whose agreement counts, its key in hex
  --cosigners N   so many of their operators must agree with each final (default: all; 0: none)
  --policy FILE   a policy file (docs/verify.md) instead of these
  --strict        every signature line of the checkpoint must be by a named key
  --complete      every period that is due must be printed or void, and no Close or index
                  entry may be missing; a bundle cannot show that`;

type PolicyValues = {
  readonly [K in keyof PolicyOptions]?:
    | (PolicyOptions[K] extends Many ? string[] : PolicyOptions[K] extends One ? string : boolean)
    | undefined;
};

/** The policy that a command line gives, in a file or in words. Throws `UsageError`. */
export async function policyOf(values: PolicyValues): Promise<Policy> {
  const { policy: file, strict = false, complete = false } = values;
  if (file === undefined) return { ...namedPolicy(values, strict), complete };
  const others = Object.keys(POLICY_OPTIONS).filter(
    (name) => !['policy', 'strict', 'complete'].includes(name),
  ) as (keyof PolicyValues)[];
  if (others.some((name) => values[name] !== undefined)) {
    throw new UsageError(`--policy stands instead of --${others.join(', --')}`);
  }
  try {
    const text = await readFile(file, 'utf8');
    // JSON.parse takes the last of two members with one name: a root of trust has one reading.
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
  const witnesses = (values.witness ?? []).map((text) => {
    const [operator, vkey] = named(text, '--witness OPERATOR=VKEY');
    return { operator, vkey };
  });
  const cosigners = (values.cosigner ?? []).map((text) => {
    const [operator, key] = named(text, '--cosigner OPERATOR=KEY');
    if (!isHex(key, 32)) throw new UsageError('the KEY of --cosigner is 64 lower-case hex digits');
    return { operator, key };
  });
  const logId = values['log-id'];
  const maxAge = positiveOption(values['witness-max-age'], '--witness-max-age');
  if (maxAge !== undefined && witnesses.length === 0) {
    throw new UsageError('--witness-max-age is the age of cosignatures by a --witness');
  }
  try {
    const policy: Policy = {
      ...OPEN_POLICY,
      checkpoint_keys: values.key ?? [],
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
  // An operator's name has no equals sign; a key's base64 may end in one.
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${option} names who runs it`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** How many operators are required: as many as are named, where no number says otherwise. With 0 those who have spoken are named alone. */
function required(
  text: string | undefined,
  option: string,
  listed: readonly { readonly operator: string }[],
): number {
  if (text === '0') return 0;
  const operators = new Set(listed.map(({ operator }) => operator)).size;
  return positiveOption(text, option) ?? operators;
}
