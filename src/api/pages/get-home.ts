/** The console, as it was built; a plain page where it was not. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { defineRoute } from '../route.ts';
import { absent, consoleFolder } from './get-console-file.ts';

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
    <p>Its console was not built; <code>npm start</code> says why.</p>
    <ul>
      <li><a href="/docs">The API, to read and to try</a></li>
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

/** Everything comes from here; a recording that was fetched is played from memory (`blob:`). */
const consolePolicy = policyFor(
  "'self'",
  "script-src 'self'; connect-src 'self'; img-src 'self'; media-src blob:; ",
);

export const getHome = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getHome',
  tag: 'Pages',
  summary: 'The console',
  description:
    'For workspace admins, in a browser: numbers and agents, calls as they happen, webhooks, trunks.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(async () => {
  const built = await readFile(new URL('index.html', consoleFolder), 'utf8').catch(absent);
  return {
    status: 200,
    media: 'text/html',
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': built === undefined ? plainPolicy : consolePolicy,
    },
    body: built ?? plainPage,
  };
});
