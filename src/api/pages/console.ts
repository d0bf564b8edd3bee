/** Pages of the console build: the console, its files, and the API reference. */
import { defineRoute } from '../http/route.ts';
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { readBuilt } from './built-file.ts';
import { builtPage } from './built-page.ts';

/** Route of the built console. If the console was not built, the response is a plain page. */
export const getHome = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getHome',
  tag: 'Pages',
  summary: 'The console',
  description: 'For workspace admins, in a browser: numbers and agents, live calls, webhooks, trunks.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(({ takesEncoding }) => builtPage('index.html', takesEncoding));

const media = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' } as const;

const inPath = z.string().regex(/^[\w-]+(\.[\w-]+)*\.(js|css|svg)$/, { error: 'There is no such file.' });

export const getConsoleFile = defineRoute({
  method: 'get',
  path: '/console/{file}',
  operationId: 'getConsoleFile',
  tag: 'Pages',
  summary: 'A file of the console',
  description: "Scripts, styles and pictures of the console. A file's name changes with its content.",
  auth: 'none',
  params: z.object({ file: z.string() }),
  responses: { 200: { description: 'The file.', media: Object.values(media) } },
  refusals: ['not_found'],
}).handledBy(async ({ params, takesEncoding }) => {
  const file = inPath.safeParse(params.file).data;
  const type = typeOf(file);
  const built = file === undefined ? undefined : await readBuilt(file, takesEncoding);
  if (built === undefined || type === undefined)
    throw new Refusal('not_found', 'The console has no such part.');
  return {
    status: 200,
    media: type,
    headers: { 'Cache-Control': 'public, max-age=31536000, immutable', ...built.headers },
    body: built.body,
  };
});

const typeOf = (file: string | undefined) =>
  Object.entries(media).find(([ending]) => file?.endsWith(`.${ending}`) === true)?.[1];

/**
 * Route of the API reference page. All resources of the page come from this gateway, so that it works offline and no
 * third party learns who reads it.
 */
export const getDocs = defineRoute({
  method: 'get',
  path: '/docs',
  operationId: 'getDocs',
  tag: 'Pages',
  summary: 'The reference page',
  description: 'This document for people, with a form to try each operation.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(({ takesEncoding }) => builtPage('docs.html', takesEncoding));
