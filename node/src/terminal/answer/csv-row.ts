/**
 * A row of a CSV (RFC 4180) without its line end. Null is an empty field, and text that a reader could take for more
 * than one field is quoted.
 */
export function formatCsvRow(fields: readonly (string | number | boolean | null)[]): string {
  return fields.map(formatField).join(',');
}

function formatField(field: string | number | boolean | null): string {
  const text = field === null ? '' : String(field);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
