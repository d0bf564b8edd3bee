import { createHash } from 'node:crypto';
import { defineRoute } from '../route.ts';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem; color: #222; }
  a { color: #0b57d0; }
  @media (prefers-color-scheme: dark) { body { background: #16181c; color: #ddd; } a { color: #8ab4f8; } }
`;

const page = `<!doctype html>
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
    <ul>
      <li><a href="/docs">The API, to read and to try</a></li>
      <li><a href="/openapi.json">The API as an OpenAPI document</a></li>
      <li><a href="/readyz">Is it ready for calls?</a></li>
    </ul>
  </body>
</html>
`;

const styleHash = createHash('sha256').update(style).digest('base64');

export const getHome = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getHome',
  tag: 'Pages',
  summary: 'The first page',
  description: 'Says what runs here and where to go on.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(() => ({
  status: 200,
  media: 'text/html',
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  },
  body: page,
}));
