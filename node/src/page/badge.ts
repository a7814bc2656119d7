import type { LightIndexPayload } from '@assay/core/answer/light-index';
import type { SettlementStatus } from '@assay/core/answer/settlement-status';
import { period, value } from './format.ts';
import { type Html, html } from './html.ts';
import { stateOf } from './state.ts';
import { textWidth } from './text-width.ts';

/** The grounds of the parts: white letters on each have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
const GROUNDS = { label: '#17211d', good: '#17663a', wait: '#7a4a00', none: '#55615b' } as const;
const HEIGHT = 20;
/** Left and right of a text. */
const PAD = 7;
const SIZE = 11;

/** The badge of an index as SVG: its newest complete period, the number on which money settles, and how far it is settled. */
export function numberBadge(index: LightIndexPayload): string {
  const { ticker, cadence, format, unit, network, newest_complete: newest } = index;
  const isDevelopment = network === 'development';
  const number = newest === null ? '—' : shown(newest, format);
  const words = [isDevelopment ? 'DEVELOPMENT' : '', number, briefState(newest)].filter(Boolean);
  const whole = [
    newest === null ? ticker : `${ticker}, ${period(newest.period, cadence)}`,
    `${number}${format === 'percent' || newest?.withheld !== false ? '' : ` ${unit}`}`,
    stateOf(newest).text,
    isDevelopment ? 'Development network: nothing here may be settled on' : '',
  ].filter(Boolean);
  const label = newest === null ? ticker : `${ticker} ${newest.period}`;
  const { tone } = stateOf(newest);
  return drawn(label, words.join(' · '), whole.join('. '), isDevelopment ? 'none' : tone);
}

function shown(newest: SettlementStatus, format: string): string {
  return newest.withheld ? 'withheld' : value(newest.settlement_value ?? newest.value, format);
}

/** The state in few words, with how many of the required recounters have signed. */
function briefState(newest: SettlementStatus | null): string {
  if (newest === null) return 'nothing published';
  const { unsettled, required, have } = newest;
  const counted = required === null || required === 0 ? '' : ` ${have ?? 0}/${required}`;
  switch (unsettled) {
    case null:
      return `final${counted}`;
    case 'quorum':
      return `waits for recounters${counted}`;
    case 'terms':
      return 'final, never settles';
    case 'history':
      return 'loaded, not printed';
    case 'withheld':
      return 'never settles';
    case 'void':
    case 'provisional':
      return unsettled;
  }
}

/** That a badge cannot be shown now. */
export function brokenBadge(): string {
  return drawn('Assay', 'not available now', 'Assay: the number cannot be shown now', 'none');
}

function drawn(left: string, right: string, whole: string, tone: 'good' | 'wait' | 'none'): string {
  const [a, b] = [left, right].map((text) => Math.ceil(SIZE * textWidth(text)) + 2 * PAD) as [
    number,
    number,
  ];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="${HEIGHT}" viewBox="0 0 ${a + b} ${HEIGHT}" role="img" aria-label="${whole}"><title>${whole}</title><rect width="${a}" height="${HEIGHT}" fill="${GROUNDS.label}"/><rect x="${a}" width="${b}" height="${HEIGHT}" fill="${GROUNDS[tone]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="${SIZE}">${textAt(left, PAD, a)}${textAt(right, a + PAD, b)}</g></svg>`
    .text;
}

/** A text that has exactly its place, whatever font the reader has. */
function textAt(text: string, x: number, width: number): Html {
  return html`<text x="${x}" y="14" textLength="${width - 2 * PAD}">${text}</text>`;
}
