/** The script of a gateway (config/gateway-script.mjs), of a small project: when it is used, and what its modules see. */
import { execFile } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { compileCacheIn, usualDataFolder } from '#config/data-folder.mjs';
import { ownEnvironment } from '#test/helpers/programs/run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/**
 * Starts the project as `src/main.mjs` does. Prints what the gateway is, where it comes from, and whether files of the
 * script are still open.
 */
const main = `
  import { readdirSync } from 'node:fs';
  import { useBundle } from './config/bundled-packages.mjs';
  import { useScript } from './config/gateway-script.mjs';
  const root = new URL('.', import.meta.url).href;
  const countFiles = () => readdirSync('/dev/fd').length;
  const before = countFiles();
  const { script, code } = useScript(root);
  const isOpen = countFiles() > before;
  if (script === null) useBundle(root);
  const path = 'src/run-gateway.ts';
  const { describe } = script?.load(path) ?? (await import(root + path));
  console.log(JSON.stringify({ from: code.from, isOpen, ...(await describe()) }));
`;

const sources: Readonly<Record<string, string>> = {
  'src/run-gateway.ts': `
    import { statSync } from 'node:fs';
    import path from 'node:path';
    import * as os from 'node:os';
    import { z } from 'zod';
    import parse from 'postgres-array';
    import { word } from '#src/word.ts';
    import { Kind, type Sort } from './kind.ts';
    import * as kinds from './kind.ts';
    export const ran: string[] = [];
    const sort: Sort = 'one';
    export const describe = async () => {
      const before = Reflect.get(globalThis, 'lateModuleRan') ?? false;
      const { late } = await import('./late.ts');
      return {
        word,
        sort: z.enum(['one']).parse(sort),
        packages: parse.parse('{a,b}'),
        builtins: [typeof statSync, path.sep, typeof os.cpus],
        isSame: new Kind() instanceof late.Kind && kinds.Kind === Kind,
        names: Object.keys(kinds),
        meta: [import.meta.url, import.meta.dirname, import.meta.filename, import.meta.resolve('#src/word.ts')],
        before,
        isStrict: (function () { return this === undefined; }).call(undefined),
      };
    };`,
  'src/word.ts': `export const word: string = 'old – 옛';`,
  'src/kind.ts': `export type Sort = 'one' | 'other';
    export class Kind {}
    export const other = 1;
    export function more() { return other; }`,
  'src/late.ts': `import { Kind } from './kind.ts';
    Reflect.set(globalThis, 'lateModuleRan', true);
    export const late = { Kind };`,
  'src/failing.ts': `export const fail = (): never => {
      throw new Error('on purpose');
    };`,
};

const copied = [
  'bundle-packages.mjs',
  'bundled-packages.mjs',
  'compile-gateway.mjs',
  'gateway-script.mjs',
  'one-at-a-time.mjs',
  'practise-calls.mjs',
  'practice-gateway.mjs',
  'write-bundle.mjs',
  'write-gateway-script.mjs',
];

const change = async (file: string, from: RegExp | string, to: string): Promise<void> => {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(from, to));
};

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'trunkline-script-'));

/** A project with few modules and packages, whose script is written. */
const makeProject = async (): Promise<string> => {
  const folder = await temporaryFolder();
  for (const file of copied) await cp(join(root, 'config', file), join(folder, 'config', file));
  await change(
    join(folder, 'config/bundled-packages.mjs'),
    /bundledImports = \[[^\]]*\]/,
    "bundledImports = ['postgres-array', 'zod']",
  );
  const writer = join(folder, 'config/write-gateway-script.mjs');
  await change(writer, /const usual = \[[^\]]*\]/, 'const usual = [entry]');
  // The files of this project are too young for the usual limit.
  await change(writer, /timeGranularityMs = [\d_]+/, 'timeGranularityMs = 0');
  for (const [path, text] of Object.entries({ ...sources, 'main.mjs': main })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module","imports":{"#src/*":"./src/*"}}');
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await write(folder);
  return folder;
};

let original = '';
test.before(async () => {
  original = await makeProject();
});
test.after.always(() => rm(original, { recursive: true, force: true }));

/** A copy of the project with other sources. The script of the original is not written again. */
const project = async (
  t: ExecutionContext,
  changes: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(original, folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(changes)) await writeFile(join(folder, path), text);
  return folder;
};

const write = (folder: string, options: readonly string[] = []) =>
  run(process.execPath, [...options, join(folder, 'config/compile-gateway.mjs'), '--here'], {
    env: ownEnvironment(),
  });

type Description = { from: string; word: string; names: string[]; [name: string]: unknown };

/** With the options for which the script is written. */
const start = async (
  folder: string,
  settings: Record<string, string> = {},
  options: readonly string[] = ['--no-memory-protection-keys'],
): Promise<Description> => {
  const { stdout, stderr } = await run(process.execPath, [...options, join(folder, 'main.mjs')], {
    env: { ...ownEnvironment(), ...settings },
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as Description;
};

const scriptIn = (folder: string) => join(folder, 'dist/node_modules/gateway');

type Files = { text: string; code: string };

/** Files of the parts of a script: the first part, and the one with `src/late.ts`, which the first one does not import. */
const filesIn = async (folder: string): Promise<{ first: Files; late: Files }> => {
  const names = await readdir(scriptIn(folder));
  const { parts } = JSON.parse(await readFile(join(scriptIn(folder), 'script.json'), 'utf8')) as {
    parts: { file: string }[];
  };
  const [first, late] = parts.map(({ file }) => {
    const code = names.find((name) => name.startsWith(file) && name.endsWith('.code')) ?? '';
    return { text: join(scriptIn(folder), file), code: join(scriptIn(folder), code) };
  });
  if (first === undefined || late === undefined) throw new Error('The script has one part');
  return { first, late };
};

test.serial('the script runs as its modules do', async (t) => {
  const folder = await project(t);
  await rm(scriptIn(folder), { recursive: true });
  const before = await start(folder);
  t.is(before.from, 'modules');
  t.like(before, { word: 'old – 옛', isSame: true, isStrict: true, before: false });
  const { stderr } = await write(folder);
  t.regex(stderr, /^Compiling the gateway/m);
  const after = await start(folder);
  t.deepEqual(after, { ...before, from: 'script', isOpen: true });
  t.is((await write(folder)).stderr, '');
});

test.serial(
  'a changed source never runs old code, even with the size and the time of the old one',
  async (t) => {
    const folder = await project(t);
    const file = join(folder, 'src/word.ts');
    const time = new Date('2026-01-01');
    await utimes(file, time, time);
    const { size } = await stat(file);
    await rm(scriptIn(folder), { recursive: true });
    await write(folder);
    t.like(await start(folder), { from: 'script', word: 'old – 옛' });
    await change(file, 'old', 'new');
    await utimes(file, time, time);
    t.is((await stat(file)).size, size);
    t.like(await start(folder), { from: 'modules', word: 'new – 옛' });
    await write(folder);
    t.like(await start(folder), { from: 'script', word: 'new – 옛' });
  },
);

test.serial(
  'does not trust the times of a source that was changed while the script was written',
  async (t) => {
    const folder = await project(t);
    const file = join(folder, 'src/word.ts');
    const soon = new Date(Date.now() + 60_000);
    await utimes(file, soon, soon);
    await rm(scriptIn(folder), { recursive: true });
    await write(folder);
    const description = JSON.parse(await readFile(join(scriptIn(folder), 'script.json'), 'utf8')) as {
      sources: [path: string, stamp: string | null, hash: string][];
    };
    const [, stamp] = description.sources.find(([path]) => path === 'src/word.ts') ?? [];
    t.is(stamp, null);
    t.like(await start(folder), { from: 'script' }, 'its content is compared');
  },
);

for (const file of ['package-lock.json', 'package.json', 'config/write-gateway-script.mjs'])
  test.serial(`a change of ${file} leads to another script`, async (t) => {
    const folder = await project(t);
    await writeFile(join(folder, file), `${await readFile(join(folder, file), 'utf8')}\n`);
    t.like(await start(folder), { from: 'modules' });
    await write(folder);
    t.like(await start(folder), { from: 'script' });
  });

test.serial('a copy of the folder uses the script of its sources', async (t) => {
  const folder = await project(t);
  const copy = `${folder}-copy`;
  t.teardown(() => rm(copy, { recursive: true, force: true }));
  await cp(folder, copy, { recursive: true });
  const copied = await start(copy);
  t.is(copied.from, 'script');
  t.true(String(copied['meta']).startsWith(`file://${copy}/`), 'modules have the paths of the copy');
});

const damage = async (file: string): Promise<void> => {
  const content = await readFile(file);
  const middle = Math.floor(content.length / 2);
  content[middle] = (content[middle] ?? 0) ^ 1;
  await writeFile(file, content);
};
const cut = async (file: string): Promise<void> => truncate(file, (await stat(file)).size - 1);
const remove = (file: string): Promise<void> => rm(file);

test.serial('incomplete, damaged and missing files are not used, closed, and replaced', async (t) => {
  const folder = await project(t);
  const cases = [
    { part: 'first', of: 'text', spoil: cut },
    { part: 'first', of: 'text', spoil: remove },
    { part: 'first', of: 'code', spoil: damage },
    { part: 'late', of: 'text', spoil: cut },
    { part: 'late', of: 'code', spoil: remove },
  ] as const;
  for (const { part, of, spoil } of cases) {
    await write(folder);
    t.like(await start(folder), { from: 'script' });
    await spoil((await filesIn(folder))[part][of]);
    t.like(await start(folder), { from: 'modules', isOpen: false }, `${spoil.name} ${part} ${of}`);
  }
  await write(folder);
  await writeFile(join(scriptIn(folder), 'script.json'), '{');
  t.like(await start(folder), { from: 'modules' });
});

test.serial('damaged code of a later part is ignored, and replaced', async (t) => {
  const folder = await project(t);
  const { code } = (await filesIn(folder)).late;
  await damage(code);
  const damaged = await readFile(code);
  t.like(await start(folder), { from: 'script', isSame: true });
  await write(folder);
  t.notDeepEqual(await readFile(code), damaged);
  t.like(await start(folder), { from: 'script' });
});

test.serial('a running gateway loads the rest of its script after an update', async (t) => {
  const folder = await project(t, {
    'main.mjs': main.replace(
      'const { describe }',
      `const { rmSync } = await import('node:fs');
      rmSync(new URL('dist/node_modules/gateway', root), { recursive: true });
      const { describe }`,
    ),
  });
  t.like(await start(folder), { from: 'script', isSame: true });
});

test.serial('compiled code belongs to the options of its process', async (t) => {
  const folder = await project(t);
  t.like(await start(folder, {}, []), { from: 'modules' });
  t.like(await start(folder, { NODE_OPTIONS: '--max-old-space-size=900' }), { from: 'modules' });
  t.like(await start(folder), { from: 'script' });
});

test.serial('preloaded modules and debuggers get the modules, without a word', async (t) => {
  const folder = await project(t);
  await writeFile(join(folder, 'register.mjs'), '');
  const preload = `--import ${new URL(`file://${folder}/register.mjs`).href}`;
  t.like(await start(folder, { NODE_OPTIONS: preload }), { from: 'modules' });
  t.like(await start(folder, { NODE_V8_COVERAGE: join(folder, 'coverage') }), { from: 'modules' });
});

test.serial(
  'a gateway with an empty GW_DATA_DIR loads compiled code from the usual data folder',
  async (t) => {
    const folder = await temporaryFolder();
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const files = ['data-folder', 'gateway-script', 'bundled-packages', 'module-resolution'].map(
      (name) => `config/${name}.mjs`,
    );
    for (const file of [...files, 'src/main.mjs']) await cp(join(root, file), join(folder, file));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(folder, 'src/run-gateway.ts'),
      `import { getCompileCacheDir } from 'node:module';
    export const runGateway = async (): Promise<void> => console.log(getCompileCacheDir());`,
    );
    await mkdir(join(folder, usualDataFolder));
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...environment } = ownEnvironment();
    const { stdout } = await run(process.execPath, [join(folder, 'src/main.mjs')], {
      cwd: folder,
      env: { ...environment, GW_DATA_DIR: '' },
    });
    t.true(stdout.startsWith(compileCacheIn(join(folder, usualDataFolder))), stdout);
  },
);

test.serial('practice calls that fail leave the code as it is, and no folder', async (t) => {
  const folder = await project(t, {
    'src/gateway.ts': 'export const startGateway = null;',
    'src/late.ts': `import './gateway.ts';\n${sources['src/late.ts'] ?? ''}`,
  });
  await rm(scriptIn(folder), { recursive: true });
  await change(
    join(folder, 'config/write-gateway-script.mjs'),
    /const usual = \[[^\]]*\]/,
    "const usual = [entry, 'src/gateway.ts']",
  );
  const temporary = await temporaryFolder();
  t.teardown(() => rm(temporary, { recursive: true, force: true }));
  const inTemporary = { ...ownEnvironment(), TMPDIR: temporary };
  const program = join(folder, 'config/compile-gateway.mjs');
  const { stderr } = await run(process.execPath, [program, '--here'], { env: inTemporary });
  t.regex(stderr, /^The practice calls failed, .*: the gateway gateway has ended$/m);
  t.deepEqual(await readdir(temporary), []);
  t.like(await start(folder), { from: 'script' });
  const without = await run(process.execPath, [program, '--here', '--without-practice'], {
    env: inTemporary,
  });
  t.is(without.stderr, '');
});

test.serial('two programs that write the script at the same time leave one', async (t) => {
  const folder = await project(t);
  await rm(scriptIn(folder), { recursive: true });
  await Promise.all([write(folder), write(folder)]);
  t.is((await readdir(scriptIn(folder))).length, 5);
  t.like(await start(folder), { from: 'script' });
});

test.serial('a folder that cannot be written fails no command', async (t) => {
  const folder = await project(t);
  await rm(join(folder, 'dist'), { recursive: true });
  await writeFile(join(folder, 'dist'), 'in the way');
  t.is((await write(folder)).stderr, '');
  t.like(await start(folder), { from: 'modules' });
});

test.serial('modules that import each other in a circle are loaded one by one', async (t) => {
  const folder = await project(t, {
    'src/word.ts': `import './late.ts'; export const word: string = 'old – 옛';`,
    'src/kind.ts': `import './word.ts';\n${sources['src/kind.ts'] ?? ''}`,
  });
  await write(folder);
  t.like(await start(folder), { from: 'modules' });
});

test.serial('a stack trace names the lines of the sources', async (t) => {
  const folder = await project(t, {
    'src/late.ts': `import { Kind } from './kind.ts';
      import { fail } from './failing.ts';
      export const late = { Kind, get stack() { try { return fail(); } catch (error) { return error.stack; } } };`,
  });
  await change(join(folder, 'src/run-gateway.ts'), 'before,', 'stack: late.stack,');
  const before = await start(folder);
  await write(folder);
  const after = await start(folder);
  t.deepEqual([before.from, after.from], ['modules', 'script']);
  const lines = (description: Description): string[] => String(description['stack']).split('\n').slice(0, 4);
  t.regex(lines(after)[1] ?? '', /src\/failing\.ts:2:13\)$/);
  t.deepEqual(lines(after), lines(before));
});
