// A reporter for Node's test runner: the path of every test file with a failure in it, one a line, each once;
// `unknown` for a failure that names no file.
export default async function* failedFiles(events) {
  const told = new Set();
  for await (const { type, data } of events) {
    const file = data?.file ?? 'unknown';
    if (type !== 'test:fail' || told.has(file)) continue;
    told.add(file);
    yield `${file}\n`;
  }
}
