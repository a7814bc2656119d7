import { fileURLToPath } from 'node:url';

/** Makes a PNG of an SVG. */
export type Paint = (svg: string) => Promise<Uint8Array<ArrayBuffer>>;

/** The fonts of the pictures, from `node/dist/page`: the fonts of a machine are not read, so that every machine draws the same. */
const FONTS = ['inter-400.ttf', 'inter-600.ttf'].map((name) =>
  fileURLToPath(new URL(`../browser/${name}`, import.meta.url)),
);

/** Opens the package that draws, `@resvg/resvg-js`. Null where it is not installed, or has no binary for this platform. */
export async function openPainter(): Promise<Paint | null> {
  try {
    const { renderAsync } = await import('@resvg/resvg-js');
    return async (svg) => {
      const image = await renderAsync(svg, {
        font: { fontFiles: FONTS, loadSystemFonts: false, defaultFontFamily: 'Inter' },
      });
      return new Uint8Array(image.asPng());
    };
  } catch {
    return null;
  }
}
