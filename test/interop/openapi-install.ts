// Installs what reads the OpenAPI document in the interop tests, before they run; a line for each that cannot be had.
import { openapiPythonClient, openapiTypescript, schemathesis } from './openapi-peers.ts';

for (const find of [openapiTypescript, openapiPythonClient, schemathesis]) {
  const found = await find();
  if ('missing' in found) console.log(found.missing);
}
