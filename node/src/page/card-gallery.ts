import { openPainter, type Paint } from './painter.ts';

/** A picture is drawn again after this time, so that the time on it stays near. */
const FRESH_MS = 300_000;
/** The pictures that are kept: some 30 kB each. */
const MOST_KEPT = 64;

interface Kept {
  readonly version: string;
  readonly until: number;
  readonly png: Promise<Uint8Array<ArrayBuffer>>;
}

/** The pictures for previews, each drawn once for each state of the record, and again after five minutes. */
export class CardGallery {
  readonly #open: () => Promise<Paint | null>;
  readonly #kept = new Map<string, Kept>();
  #paint: Promise<Paint | null> | undefined;

  constructor(open: () => Promise<Paint | null> = openPainter) {
    this.#open = open;
  }

  /** Whether this installation can draw. */
  async canDraw(): Promise<boolean> {
    return (await this.#painter()) !== null;
  }

  /** The PNG of a card; undefined where this installation cannot draw. `svg` is called where none is kept. */
  async png(
    name: string,
    version: string,
    svg: () => string,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const paint = await this.#painter();
    if (paint === null) return undefined;
    const known = this.#kept.get(name);
    const now = performance.now();
    if (known !== undefined && known.version === version && now < known.until) return known.png;
    const png = paint(svg());
    this.#kept.delete(name);
    this.#kept.set(name, { version, until: now + FRESH_MS, png });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    png.catch(() => this.#kept.delete(name));
    return png;
  }

  #painter(): Promise<Paint | null> {
    this.#paint ??= this.#open();
    return this.#paint;
  }
}
