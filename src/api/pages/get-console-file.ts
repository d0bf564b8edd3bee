import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { defineRoute } from '../route.ts';

/** Where config/build-console.mjs puts the built console. */
export const consoleFolder = new URL('../../../dist/console/', import.meta.url);

const media = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' } as const;

const inPath = z.string().regex(/^[\w-]+(\.[\w-]+)*\.(js|css|svg)$/, { error: 'There is no such file.' });

export const getConsoleFile = defineRoute({
  method: 'get',
  path: '/console/{file}',
  operationId: 'getConsoleFile',
  tag: 'Pages',
  summary: 'A part of the console',
  description: 'Scripts, styles and pictures of the console. The name of a file changes with what is in it.',
  auth: 'none',
  params: z.object({ file: z.string() }),
  responses: { 200: { description: 'The file.', media: Object.values(media) } },
  refusals: ['not_found'],
}).handledBy(async ({ params }) => {
  const file = inPath.safeParse(params.file).data;
  const type = typeOf(file);
  const body = file && (await readFile(new URL(file, consoleFolder)).catch(absent));
  if (!body || type === undefined) throw new Refusal('not_found', 'The console has no such part.');
  return {
    status: 200,
    media: type,
    headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
    body,
  };
});

const typeOf = (file: string | undefined) =>
  Object.entries(media).find(([ending]) => file?.endsWith(`.${ending}`) === true)?.[1];

/** A console that was not built has no files; anything else that goes wrong is an accident. */
export const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};
