/** A PDF of one page a content stream, in Helvetica. */
export function smallPdf(...streams: readonly string[]): Uint8Array {
  const font = 3 + 2 * streams.length;
  const kids = streams.map((_, i) => `${3 + 2 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
    ...streams.flatMap((stream, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + 2 * i} 0 R` +
        ` /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let out = '%PDF-1.4\n';
  const places: number[] = [];
  for (const [i, object] of objects.entries()) {
    places.push(out.length);
    out += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  out +=
    `xref\n0 ${size}\n0000000000 65535 f \n${table}` +
    `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`;
  return new TextEncoder().encode(out);
}

/** Lines of text one below the other: each line its runs, with the place where each stands. */
export function textStream(lines: readonly (readonly (readonly [number, string])[])[]): string {
  const shown = lines.flatMap((runs, i) =>
    runs.map(([x, text]) => {
      const safe = text.replaceAll(/[\\()]/g, (mark) => `\\${mark}`);
      return `1 0 0 1 ${x} ${740 - 14 * i} Tm (${safe}) Tj`;
    }),
  );
  return `BT /F1 10 Tf\n${shown.join('\n')}\nET`;
}

/** The press release of initial claims, with the letter-spaced text layer that it really has. */
export function pressRelease(claims: string, before: string, tableClaims = claims): Uint8Array {
  return smallPdf(
    textStream([
      [[72, 'TRANSMISSION OF MATERIALS IN THIS RELEASE IS EMBARGOED UNTIL']],
      [[72, '8:30 A.M. (Eastern) Thursday, September 17, 2026']],
      [
        [
          72,
          'In the week ending September 12, the advance figure for seasonally adju sted initia l cla ims',
        ],
      ],
      [
        [
          72,
          `was ${claims}, a decrease of 10,000 from the previous week's unrevised level of ${before}.`,
        ],
      ],
      [[72, 'The 4-week moving average was 203,250, a decrease of 1,750.']],
    ]),
    textStream([
      [
        [72, 'WEEK ENDING'],
        [222, 'September 12'],
        [300, 'September 5'],
        [380, 'Change'],
      ],
      [
        [72, 'Initia l Cla ims (SA)'],
        [222, tableClaims],
        [300, before],
        [380, '-10,000'],
      ],
      [
        [72, 'Initia l Cla ims (NSA)'],
        [222, '178,123'],
        [300, '171,004'],
        [380, '7,119'],
      ],
    ]),
  );
}
