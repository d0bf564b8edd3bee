/** Sends a page of the console build with its content security policy. */
import { createHash } from 'node:crypto';
import { readBuilt, type Encoding } from './built-file.ts';

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

export const policyFor = (styles: string, others = ''): string =>
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
export const builtPage = async (
  name: string,
  takesEncoding: (encoding: Encoding) => boolean,
  policy = builtPolicy,
) => {
  const built = await readBuilt(name, takesEncoding);
  return {
    status: 200,
    media: 'text/html',
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': built === undefined ? plainPolicy : policy,
      ...built?.headers,
    },
    body: built?.body ?? plainPage,
  } as const;
};
