/** `npm run generate-client`: regenerates the OpenAPI document and the client's types after a route has changed. */
import { writeFile } from 'node:fs/promises';
import { generatedSchema, schemaFile } from '#src/client-generator/client-schema.ts';
import { openApiDocument } from '#src/api/openapi.ts';
import { routes } from '#src/api/routes.ts';
import { openApiFile, openApiText, storedVersion } from '#src/api/stored-openapi.ts';

const document = openApiDocument(routes, storedVersion);
await writeFile(openApiFile, openApiText(document));
await writeFile(schemaFile, await generatedSchema(document));
