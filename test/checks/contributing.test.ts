/**
 * CONTRIBUTING.md lists the files to change for an addition. Each list is compared with an existing example: every
 * listed file mentions the example, and no other file of the code does.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

const code = globSync('{config,machines,sip,src}/**/*.{ts,tsx}', { cwd: root }).filter(
  (path) => !path.startsWith('src/client/dist/'),
);

/** Source text without comments: a file that mentions the example only in a comment needs no change. */
const textOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8')
    .replaceAll(/^\s*\/\*\*.*?\*\/$/gms, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

/** Paths that a section lists, from the root; `all` includes tests and pages. */
const listOf = (heading: string): { code: string[]; all: string[] } => {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const items = section.match(/^\d+\. .*$/gm) ?? [];
  const pathsIn = (item: string): string[] =>
    [...item.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) =>
      relative('.', join(dirname('CONTRIBUTING.md'), path)),
    );
  const isCode = (path: string): boolean => /^(config|machines|sip|src)\//.test(path);
  return { all: items.flatMap(pathsIn), code: items.flatMap(pathsIn).filter(isCode) };
};

const isListed = (listed: readonly string[], path: string): boolean =>
  listed.some((one) => path === one || path.startsWith(`${one}/`));

/** `besides`: listed files that do not mention this example. */
const walked = test.macro<[string, RegExp, { example: string; besides?: readonly string[] }]>({
  title: (_, heading) => `the recipe "${heading}" lists the files that mention its example`,
  exec(t, heading, mark, { example, besides = [] }) {
    const { code: listed, all } = listOf(heading);
    t.true(listed.length >= 4);
    t.true(page.includes(`## ${heading}\n\nFor example \`${example}\``));
    for (const path of all) t.notThrows(() => statSync(join(root, path)), path);
    const marked = code.filter((path) => mark.test(textOf(path)));
    t.deepEqual(
      marked.filter((path) => !isListed(listed, path)),
      [],
      'mentions the example, but is not listed',
    );
    t.deepEqual(
      listed.filter((one) => !besides.includes(one) && !marked.some((path) => isListed([one], path))),
      [],
      'is listed, but does not mention the example',
    );
    for (const one of besides) t.true(listed.includes(one), one);
  },
});

test(walked, 'An agent kind', /mastra/i, { example: 'mastra' });
test(walked, 'A speech engine', /eleven-?labs/i, {
  example: 'elevenlabs',
  // This file mentions the example only in comments.
  besides: ['src/client/schema.ts'],
});
test(walked, 'A line driver', /createDrachtioLines|'simulator'(?:,| \|) 'drachtio'/, {
  example: 'drachtio',
  besides: ['machines/line.ts'],
});
test(walked, 'A setting', /\bGW_NAME_SERVERS\b|\bnameServers\b/, { example: 'GW_NAME_SERVERS' });
test(walked, 'An endpoint', /cancelCall|cancel-call|requestCancel|cancel_requested/, {
  example: 'cancelCall',
  // The document mentions it, but is no source text.
  besides: ['src/api/http/codec.ts', 'src/api/openapi.json', 'src/domain/refusal.ts'],
});
