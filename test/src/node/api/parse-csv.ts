/** Rows of a CSV whose fields need no quotes, by column. */
export function parseCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const fields = line.split(',');
    if (fields.length !== names.length) throw new Error(`not ${names.length} fields: ${line}`);
    return Object.fromEntries(names.map((name, i) => [name, fields[i] as string]));
  });
}
