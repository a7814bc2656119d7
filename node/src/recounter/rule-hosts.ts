import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { isObject } from '@assay/core/wire/schema';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { parseWire, type WireValue } from '@assay/core/wire/wire';
import type { MirrorReader } from '../mirror/served-log.ts';
import { HOST_PATTERN } from '../source/source-hosts.ts';

/** A host that rules in force name. */
export interface NamedHost {
  /** In the form of `source_hosts` (`HOST_PATTERN`). */
  readonly host: string;
  /** The indexes whose rules name it. */
  readonly indices: readonly string[];
}

/** How many indexes are asked for. */
const MAX_INDICES = 256;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_RULE_BYTES = 1024 * 1024;

/**
 * The hosts that a publisher's rules in force ask or may be redirected to, as its own service claims. Nobody
 * vouches for that list; it is for an operator to check. Throws what the reader throws, `unreachable` and
 * `malformed`.
 */
export async function hostsOfRules(
  reader: MirrorReader,
  sha256: Sha256,
): Promise<readonly NamedHost[]> {
  const named = new Map<string, Set<string>>();
  for (const ticker of tickersOf(await json(reader, '/v1/indices', MAX_LIST_BYTES))) {
    const answer = await json(reader, `/v1/indices/${ticker}/rule`, MAX_RULE_BYTES);
    for (const host of hostsOfRule(ruleOf(sha256, answer))) {
      named.set(host, (named.get(host) ?? new Set()).add(ticker));
    }
  }
  return [...named]
    .map(([host, indices]) => ({ host, indices: [...indices] }))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
}

/**
 * The hosts that a rule's requests name, in the form of `source_hosts`, without those that contain a variable.
 */
export function hostsOfRule({ providers }: Pick<Rule, 'providers'>): readonly string[] {
  const hosts = providers.flatMap(({ request: { url, follow } }) => {
    const scheme = url.startsWith('http://') ? 'http://' : '';
    const [, asked = ''] = /^https?:\/\/([^/?#]+)/.exec(url) ?? [];
    return [asked.toLowerCase(), ...follow].map((host) => `${scheme}${host}`);
  });
  return [...new Set(hosts.filter((host) => HOST_PATTERN.test(host)))];
}

function tickersOf(list: WireValue): readonly string[] {
  const tickers = (Array.isArray(list) ? list : []).map((each: WireValue) =>
    isObject(each) ? each['ticker'] : undefined,
  );
  if (!Array.isArray(list) || tickers.length > MAX_INDICES) {
    throw new Fault('malformed', 'indices', { expected: `a list of at most ${MAX_INDICES}` });
  }
  return tickers.map((ticker) => {
    if (typeof ticker === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(ticker)) return ticker;
    throw new Fault('malformed', 'indices', { expected: 'a ticker of each' });
  });
}

function ruleOf(sha256: Sha256, answer: WireValue): Rule {
  const canonical = isObject(answer) ? answer['canonical'] : undefined;
  if (typeof canonical === 'string') return parseRule(sha256, parseWire(formatUtf8(canonical)));
  throw new Fault('malformed', 'rule', { expected: 'its bytes in `canonical`' });
}

async function json(reader: MirrorReader, path: string, maxBytes: number): Promise<WireValue> {
  const { status, body } = await reader.get(path, maxBytes);
  if (status !== 200) {
    throw new Fault('unreachable', 'publisher', { at: path, found: `status ${status}` });
  }
  try {
    return JSON.parse(parseUtf8(body)) as WireValue;
  } catch (cause) {
    throw new Fault('malformed', 'publisher', { at: path, expected: 'JSON', cause });
  }
}
