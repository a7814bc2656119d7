import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { moment, period, value } from './format.ts';
import { type Html, html } from './html.ts';
import { stateOf } from './state.ts';
import { textWidth } from './text-width.ts';

/** The size that previews of links have (the Open Graph protocol, `og:image`). */
export const CARD_WIDTH = 1200;
export const CARD_HEIGHT = 630;

const INK = '#17211d';
const DIM = '#55615b';
const TONES = { good: '#17663a', wait: '#7a4a00', none: DIM } as const;
const LEFT = 80;
const SPAN = CARD_WIDTH - 2 * LEFT;
/** How wide most letters are, in parts of their size. */
const MEAN = 0.55;

/** What stands on the card of a number. */
export interface CardFacts {
  readonly index: LightIndexPayload;
  /** The time at which it is drawn, as the API writes times. */
  readonly at: string;
  /** Where it can be checked, such as `assay.example`. */
  readonly host: string;
}

/** The picture that a preview of a link to a number shows, as SVG: its newest complete period, and how far it is settled. */
export function numberCard({ index, at, host }: CardFacts): string {
  const { ticker, title, cadence, format, unit, network, newest_complete: newest } = index;
  const isDevelopment = network === 'development';
  const state = stateOf(newest);
  const number =
    newest === null
      ? '—'
      : newest.withheld
        ? 'withheld'
        : value(newest.settlement_value ?? newest.value, format);
  const of = newest === null ? '' : period(newest.period, cadence);
  const unitText = format === 'percent' || newest?.withheld !== false ? of : `${unit}, ${of}`;
  return drawn(
    isDevelopment,
    html`${line(ticker, 150, 52, INK, true)} ${lines(title, 205, 30)}
    ${line(number, 415, 150, INK, true)}
    ${line(unitText, 470, 32, DIM)}
    ${line(state.text, 522, 32, isDevelopment ? DIM : TONES[state.tone], true)}
    ${line(`As of ${moment(at)}. A picture proves nothing:`, 572, 24, DIM)}
    ${line(`check the number at ${host}`, 604, 24, DIM)}`,
  );
}

/** The picture that a preview of any other page shows. */
export function serviceCard(isDevelopment: boolean, host: string): string {
  return drawn(
    isDevelopment,
    html`${line('Assay', 250, 110, INK, true)}
    ${line('Numbers that money settles on,', 345, 48, INK)}
    ${line('each of which you can check yourself', 410, 48, INK)} ${line(host, 590, 24, DIM)}`,
  );
}

function drawn(isDevelopment: boolean, content: Html): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" font-family="Inter"><rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="#fcfaf6"/>${
    isDevelopment &&
    html`<rect width="${CARD_WIDTH}" height="60" fill="#ffefcf"/>${line('DEVELOPMENT: nothing here may be settled on', 40, 28, INK, true)}`
  }${content}</svg>`.text;
}

/** A text in one line, made smaller where it would not fit. */
function line(text: string, y: number, size: number, fill: string, isBold = false): Html {
  const family = isBold ? html` font-family="Inter SemiBold"` : '';
  return html`<text x="${LEFT}" y="${y}" font-size="${fittingSize(text, size)}" fill="${fill}"${family}>${text}</text>`;
}

/** A text in two lines at most, with an ellipsis where that is not all of it. */
function lines(text: string, y: number, size: number): Html {
  const room = Math.floor(SPAN / (MEAN * size));
  const broken = text.length <= room ? text.length : text.lastIndexOf(' ', room);
  const first = text.slice(0, broken > 0 ? broken : room);
  const rest = text.slice(first.length).trim();
  const second = rest.length <= room ? rest : `${rest.slice(0, room - 1)}…`;
  const fitting = Math.min(fittingSize(first, size), fittingSize(second, size));
  return html`${line(first, y, fitting, DIM)}${line(second, y + 42, fitting, DIM)}`;
}

/** The size of the letters, at most `size`, at which a text stays in its line. */
function fittingSize(text: string, size: number): number {
  return Math.min(size, Math.floor(SPAN / Math.max(1, textWidth(text))));
}
