import { getDocumentProxy } from 'unpdf';

/** A run of text as pdf.js gives it. Blanks between runs are separate runs. */
interface Run {
  readonly str: string;
  /** The last two numbers are its position. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/** A space wider than this, in heights of the line's letters, separates two columns. */
const COLUMN_GAP = 1;

/**
 * The text layer of a PDF: its lines, in the order in which the document writes them, with a blank between
 * words, a tab between columns, and an empty line between pages. Throws for what is no PDF.
 */
export async function pdfLines(bytes: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(linesOf(items.filter((item) => 'str' in item)));
    page.cleanup();
  }
  return pages.join('\n');
}

function linesOf(runs: readonly Run[]): string {
  let out = '';
  let line = '';
  let baseline: number | undefined;
  let height = 0;
  const end = (): void => {
    const text = line.trim();
    if (text !== '') out += `${text}\n`;
    line = '';
    baseline = undefined;
  };
  for (const { str, transform, width, height: own, hasEOL } of runs) {
    const y = transform[5] ?? 0;
    if (baseline !== undefined && Math.abs(y - baseline) > Math.max(height, 1) / 2) end();
    baseline ??= y;
    height = own > 0 ? own : height;
    const gap = str.trim() === '';
    line += gap && width > COLUMN_GAP * height ? '\t' : gap && str !== '' ? ' ' : str;
    if (hasEOL) end();
  }
  end();
  return out;
}
