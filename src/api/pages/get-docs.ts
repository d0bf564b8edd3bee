/** The reference page. Everything it loads comes from here: it works offline, and nobody else learns who reads it. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { defineRoute } from '../route.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trunkline API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="reference"><p><a href="/openapi.json">The API as an OpenAPI document</a></p></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Styles are set by script on elements, which a policy does not concern; the pictures of the sheet are data URLs. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const media = ['text/css', 'text/javascript', 'image/png'] as const;

const packaged: Readonly<Record<string, (typeof media)[number]>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

export const getDocs = defineRoute({
  method: 'get',
  path: '/docs',
  operationId: 'getDocs',
  tag: 'Pages',
  summary: 'The reference page',
  description: 'This document for people, who can try each operation.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(() => ({
  status: 200,
  media: 'text/html',
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  body: page,
}));

export const getDocsFile = defineRoute({
  method: 'get',
  path: '/docs/{file}',
  operationId: 'getDocsFile',
  tag: 'Pages',
  summary: 'A part of the reference page',
  description: 'Scripts, styles and pictures of the reference page.',
  auth: 'none',
  params: z.object({ file: z.string() }),
  responses: { 200: { description: 'The file.', media } },
  refusals: ['not_found'],
}).handledBy(async ({ params: { file } }) => {
  const headers = { 'Cache-Control': 'public, max-age=3600' };
  if (file === 'start.js') return { status: 200, media: 'text/javascript', headers, body: start };
  const type = Object.hasOwn(packaged, file) ? packaged[file] : undefined;
  if (type === undefined) throw new Refusal('not_found', 'The reference page has no such part.');
  const body = await readFile(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)));
  return { status: 200, media: type, headers, body };
});
