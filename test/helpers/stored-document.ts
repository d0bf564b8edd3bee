import { readFileSync } from 'node:fs';
import { openApiFile } from '#src/api/stored-openapi.ts';

/** The OpenAPI document as it is stored, in JSON; `test/api/openapi.test.ts` compares it with the routes. */
export const storedDocument = readFileSync(openApiFile, 'utf8');
