/** `npm run generate-client`: regenerates the client's types after a route has changed. */
import { writeFile } from 'node:fs/promises';
import { generatedSchema, schemaFile } from '#src/client-generator/client-schema.ts';
import { openApiDocument } from '#src/api/openapi.ts';
import { routes } from '#src/api/routes.ts';

await writeFile(schemaFile, await generatedSchema(openApiDocument(routes, 'generated')));
