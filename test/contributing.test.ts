/**
 * CONTRIBUTING lists the files to touch, and each list is walked with something that was added before: every file of the
 * list has it, and no other one of the code does.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

const code = globSync('{config,machines,sip,src}/**/*.{ts,tsx}', { cwd: root }).filter(
  (path) => !path.startsWith('src/client/dist/'),
);

/** Without comments: a file that only speaks of it need not be touched. */
const textOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8')
    .replaceAll(/^\s*\/\*\*.*?\*\/$/gms, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

/** The section's items as paths from the root; `all` with tests and pages. */
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

/** `besides`: listed for reading, or for what is not there in this example. */
const walked = test.macro<[string, RegExp, { example: string; besides?: readonly string[] }]>({
  title: (_, heading) => heading,
  exec(t, heading, mark, { example, besides = [] }) {
    const { code: listed, all } = listOf(heading);
    t.true(listed.length >= 4);
    t.true(page.includes(`## ${heading}\n\nFor example \`${example}\``));
    for (const path of all) t.notThrows(() => statSync(join(root, path)), path);
    const marked = code.filter((path) => mark.test(textOf(path)));
    t.deepEqual(
      marked.filter((path) => !isListed(listed, path)),
      [],
      'has it, and is not listed',
    );
    t.deepEqual(
      listed.filter((one) => !besides.includes(one) && !marked.some((path) => isListed([one], path))),
      [],
      'is listed, and has it not',
    );
    for (const one of besides) t.true(listed.includes(one), one);
  },
});

test(walked, 'An agent kind', /mastra/i, { example: 'mastra' });
test(walked, 'A speech engine', /eleven-?labs/i, {
  example: 'elevenlabs',
  // Only in its comments.
  besides: ['src/client/schema.ts'],
});
test(walked, 'A line driver', /createDrachtioLines|'simulator'(?:,| \|) 'drachtio'/, {
  example: 'drachtio',
  besides: ['machines/line.ts'],
});
test(walked, 'A setting', /\bGW_NAME_SERVERS\b|\bnameServers\b/, { example: 'GW_NAME_SERVERS' });
test(walked, 'An endpoint', /cancelCall|cancel-call|requestCancel|cancel_requested/, {
  example: 'cancelCall',
  besides: ['src/api/codec.ts', 'src/domain/refusal.ts'],
});
