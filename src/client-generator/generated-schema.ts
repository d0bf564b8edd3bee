import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import type { oas32 } from 'zod-openapi';
import { clientSchema } from './client-schema.ts';

/** What the client knows of the API. */
export const schemaFile = fileURLToPath(new URL('../client/schema.ts', import.meta.url));

/** What stands in it, in the project's format. */
export const generatedSchema = async (document: oas32.OpenAPIObject): Promise<string> =>
  format(clientSchema(document), { ...(await resolveConfig(schemaFile)), filepath: schemaFile });
