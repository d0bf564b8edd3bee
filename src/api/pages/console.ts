/** Pages of the console build: the console, its files, and the API reference. */
import { defineRoute } from '../http/route.ts';
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { readBuilt, type Encoding } from './built-file.ts';
import { createHash } from 'node:crypto';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem; color: #222; }
  a { color: #0b57d0; }
  @media (prefers-color-scheme: dark) { body { background: #16181c; color: #ddd; } a { color: #8ab4f8; } }
`;

const plainPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trunkline</title>
    <style>${style}</style>
  </head>
  <body>
    <h1>Trunkline</h1>
    <p>This gateway connects telephone numbers to conversational agents. It is running.</p>
    <p>Its console and its reference page were not built; <code>npm start</code> says why.</p>
    <ul>
      <li><a href="/openapi.json">The API as an OpenAPI document</a></li>
      <li><a href="/readyz">Is it ready for calls?</a></li>
    </ul>
  </body>
</html>
`;

const styleHash = createHash('sha256').update(style).digest('base64');

const policyFor = (styles: string, others = ''): string =>
  `default-src 'none'; style-src ${styles}; ${others}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const plainPolicy = policyFor(`'sha256-${styleHash}'`);

/**
 * Content security policy: all resources come from this gateway, and a fetched recording is played from memory
 * (`blob:`).
 */
const builtPolicy = policyFor(
  "'self'",
  "script-src 'self'; connect-src 'self'; img-src 'self'; media-src blob:; ",
);

/** Returns a page built by config/build-console.mjs; a plain notice if the page was not built. */
const builtPage = async (name: string, takesEncoding: (encoding: Encoding) => boolean) => {
  const built = await readBuilt(name, takesEncoding);
  return {
    status: 200,
    media: 'text/html',
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': built === undefined ? plainPolicy : builtPolicy,
      ...built?.headers,
    },
    body: built?.body ?? plainPage,
  } as const;
};

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
