import { formatDate, formatTime } from '@assay/core/time/time';
import type { ChainStatus, FeedStatus } from './status.ts';
import { authorityText, sol } from './chain-text.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { count, duration, textRows } from '../text/text-rows.ts';

/** How many missing periods are named. The rest are counted. */
const NAMED = 6;
/** With less, a payer cannot open many more pages. */
const LOW_LAMPORTS = 100_000_000n;

/** A status as people read it. */
export function statusRows(status: ChainStatus, terminal: Terminal): readonly string[] {
  const { authority, payer } = status;
  return [
    `${status.origin} on ${status.chain}`,
    ...textRows('program', status.program, terminal),
    ...(authority === undefined
      ? textRows('', 'there is no program', terminal, 'red')
      : textRows(
          'authority',
          authorityText(authority),
          terminal,
          authority === null ? undefined : 'yellow',
        )),
    ...textRows('publisher', status.publisher, terminal),
    ...(payer === undefined
      ? []
      : textRows(
          'payer',
          `${payer.address} has ${sol(payer.lamports)}`,
          terminal,
          payer.lamports < LOW_LAMPORTS ? 'yellow' : undefined,
        )),
    ...(status.cosigned
      ? []
      : textRows('co-signers', 'the log names none: nothing belongs on chain', terminal, 'yellow')),
    ...textRows(
      'by the word',
      `of ${status.host} alone, in its finalized slot ${status.slot}`,
      terminal,
    ),
    ...status.feeds.flatMap((feed) => ['', ...feedRows(feed, status, terminal)]),
  ];
}

function feedRows(feed: FeedStatus, status: ChainStatus, terminal: Terminal): readonly string[] {
  const { ticker, address, account, publisher, onChain, inLog, withheld, missing } = feed;
  const log = inLog === undefined ? 'nothing settled' : `${inLog.period} ${inLog.status}`;
  if (account === undefined && withheld) {
    return [
      `${ticker}: withheld: its prints are not posted to the chain`,
      ...textRows('log', log, terminal),
    ];
  }
  if (account === undefined) {
    return [
      `${ticker}: ${paint(terminal, 'yellow', 'no feed')}`,
      ...textRows('feed', `${address}, not made yet`, terminal),
      ...textRows('log', log, terminal),
    ];
  }
  const named = missing.slice(0, NAMED).join(', ');
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  const state =
    missing.length === 0
      ? paint(terminal, 'green', 'nothing is behind')
      : paint(terminal, 'yellow', `${count(missing.length, 'period')} behind`);
  return [
    `${ticker}: ${state}`,
    ...textRows('feed', address, terminal),
    ...(publisher === status.publisher
      ? []
      : textRows('signs', `${publisher}, after a rotation`, terminal)),
    ...rotationRows(feed, status.now, terminal),
    ...account.rules.flatMap(({ hash, first, effective }, i) => [
      ...textRows(`rule ${i}`, hash, terminal),
      ...textRows('', `from ${formatDate(first)} on${waits(effective, status.now)}`, terminal),
    ]),
    ...account.sets.flatMap(({ effective, threshold, keys }, i) => [
      ...textRows(
        `set ${i}`,
        `${threshold} of ${keys.length}${waits(effective, status.now)}`,
        terminal,
      ),
      ...keys.flatMap((key) => textRows('', key, terminal)),
    ]),
    ...textRows(
      'on chain',
      onChain === undefined ? 'nothing settled' : `${onChain.period} ${onChain.status}`,
      terminal,
    ),
    ...textRows('log', log, terminal),
    ...(missing.length === 0 ? [] : textRows('behind', `${named}${more}`, terminal, 'yellow')),
  ];
}

/** A rotation that has taken effect is no longer shown, because the key that signs shows it. */
function rotationRows({ account }: FeedStatus, now: number, terminal: Terminal): readonly string[] {
  const rotation = account?.rotation ?? null;
  if (rotation === null || Number(rotation.effective) <= now) return [];
  const words = `to ${rotation.coming}${waits(rotation.effective, now)}`;
  return textRows('rotation', words, terminal, 'yellow');
}

function waits(effective: bigint, now: number): string {
  const left = Number(effective) - now;
  return left <= 0 ? '' : `, takes effect ${formatTime(Number(effective))}, in ${duration(left)}`;
}

/** A status as a script reads it. */
export function statusPayload(status: ChainStatus): object {
  const { payer, authority } = status;
  return {
    origin: status.origin,
    chain: status.chain,
    program: status.program,
    deployed: authority !== undefined,
    upgrade_authority: authority ?? null,
    publisher: status.publisher,
    payer: payer === undefined ? null : { address: payer.address, lamports: payer.lamports },
    slot: Number(status.slot),
    feeds: status.feeds.map(
      ({ ticker, address, account, publisher, onChain, inLog, withheld, missing }) => ({
        ticker,
        feed: address,
        made: account !== undefined,
        withheld,
        publisher: publisher ?? null,
        rotation: rotationPayload(account?.rotation ?? null, status.now),
        rules: (account?.rules ?? []).map(({ hash, first, effective }) => ({
          hash,
          from: formatDate(first),
          effective_at: formatTime(Number(effective)),
        })),
        cosigner_sets: (account?.sets ?? []).map(({ effective, threshold, keys }) => ({
          threshold,
          cosigners: keys,
          effective_at: formatTime(Number(effective)),
        })),
        newest_on_chain: onChain ?? null,
        newest_in_log: inLog === undefined ? null : { period: inLog.period, status: inLog.status },
        missing,
      }),
    ),
  };
}

function rotationPayload(
  rotation: NonNullable<FeedStatus['account']>['rotation'],
  now: number,
): object | null {
  if (rotation === null || Number(rotation.effective) <= now) return null;
  return { publisher: rotation.coming, effective_at: formatTime(Number(rotation.effective)) };
}
