/** Text at a position of its line, in points from the left. */
export type Run = readonly [x: number, text: string];

/** A PDF (ISO 32000) of pages of lines in Helvetica, with printable ASCII only. */
export function plainPdf(pages: readonly (readonly (readonly Run[])[])[]): Uint8Array {
  const font = 3 + 2 * pages.length;
  const kids = pages.map((_, i) => `${3 + 2 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...pages.flatMap((lines, i) => {
      const stream = textOf(lines);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + 2 * i} 0 R` +
          ` /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let out = '%PDF-1.4\n';
  const places: string[] = [];
  for (const [i, object] of objects.entries()) {
    places.push(`${String(out.length).padStart(10, '0')} 00000 n \n`);
    out += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const count = objects.length + 1;
  out +=
    `xref\n0 ${count}\n0000000000 65535 f \n${places.join('')}` +
    `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`;
  return new TextEncoder().encode(out);
}

function textOf(lines: readonly (readonly Run[])[]): string {
  const shown = lines.flatMap((runs, i) =>
    runs.map(([x, text]) => {
      if (!/^[ -~]*$/.test(text)) throw new TypeError('plainPdf: text other than ASCII');
      const escaped = text.replaceAll(/[\\()]/g, (mark) => `\\${mark}`);
      return `1 0 0 1 ${x} ${740 - 14 * i} Tm (${escaped}) Tj`;
    }),
  );
  return `BT /F1 10 Tf\n${shown.join('\n')}\nET`;
}
