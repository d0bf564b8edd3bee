/**
 * The OpenAPI document as a file, written by `npm run generate-client`: creating it from the routes takes as long as a
 * fifth of a start, for which calls of a killed gateway would wait.
 */
import { readFile } from 'node:fs/promises';

export const openApiFile = new URL('openapi.json', import.meta.url);

/** The version in the file, which does not change with the gateway's. */
export const storedVersion = '0.0.0';

/** Levels of which each member has a line of its own, so that a change of an operation changes few lines. */
const levelsInLines = 4;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const linesOf = (value: unknown, levels: number): string =>
  levels === 0 || !isObject(value)
    ? JSON.stringify(value)
    : `{\n${Object.entries(value)
        .map(([name, member]) => `${JSON.stringify(name)}:${linesOf(member, levels - 1)}`)
        .join(',\n')}\n}`;

/** The content of the file for this document. */
export const openApiText = (document: object): string =>
  // Without the members that JSON does not have.
  `${linesOf(JSON.parse(JSON.stringify(document)), levelsInLines)}\n`;

/** The document of a gateway of this version, as JSON. */
export const storedOpenApi = async (version: string): Promise<string> =>
  // The first version in the document is its own.
  (await readFile(openApiFile, 'utf8')).replace(
    `"version":"${storedVersion}"`,
    () => `"version":${JSON.stringify(version)}`,
  );
