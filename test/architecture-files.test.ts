/** The names of files, and the lengths of files and functions. */
import { existsSync } from 'node:fs';
import test from 'ava';
import { functionLengths } from './helpers/function-lengths.ts';
import { source, sourceFiles as files } from './helpers/imports.ts';
import { alone, filesTogether, long, projectRoot, together } from './helpers/together/files.ts';

const longestFile = 300;
const longestFunction = 80;

/** As long as the API is. */
const generated = 'src/client/schema.ts';

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

test('files and folders are named in kebab-case', (t) => {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.(ts|tsx|mjs)$/;
  const strays = files.filter((path) => {
    const parts = path.split('/');
    return (
      !kebab.test(parts.at(-1) ?? '') ||
      parts.slice(0, -1).some((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part))
    );
  });
  t.deepEqual(strays, []);
});

test('nothing is called after what it is not about', (t) => {
  const vague = /(^|\/)(utils?|common|services?|managers?|types|misc|shared|lib)(\/|\.ts$)/;
  t.regex('src/utils/x.ts', vague);
  t.regex('src/api/types.ts', vague);
  t.deepEqual(
    files.filter((path) => vague.test(path)),
    [],
  );
});

test('no file is longer than 300 lines, but for what is generated', (t) => {
  const long = files
    .filter((path) => !isIn('bench', path) && path !== generated)
    .filter((path) => source(path).split('\n').length - 1 > longestFile);
  t.deepEqual(long, []);
});

test('no function is longer than 80 lines, in tests either', (t) => {
  const long = files
    .filter((path) => ['config', 'machines', 'sip', 'src', 'test'].some((folder) => isIn(folder, path)))
    .flatMap((path) => functionLengths(path, source(path)))
    .filter(({ lines }) => lines > longestFunction);
  t.deepEqual(long, []);
});

test('the length of a function is that from its first line to its last, whatever its form', (t) => {
  const text = [
    'const one = () =>',
    '  1;',
    'class A {',
    '  two(): void {',
    '',
    '  }',
    '}',
    'declare function three(): void;',
  ];
  t.deepEqual(functionLengths('some.ts', text.join('\n')), [
    { path: 'some.ts', firstLine: 1, lines: 2 },
    { path: 'some.ts', firstLine: 4, lines: 3 },
  ]);
});

test('each test file that runs alone, or with others, is where the list of them has it', (t) => {
  const names = [...long, ...alone, ...Object.values(together).flat()];
  t.deepEqual(
    names.filter((name) =>
      ['.test.ts', '.ts', ''].every((ending) => !existsSync(`${projectRoot}${name}${ending}`)),
    ),
    [],
  );
  const inTogether = files.filter((path) => path.startsWith('test/together/'));
  t.deepEqual(
    Object.fromEntries(inTogether.map((path) => [path, source(path)])),
    Object.fromEntries(
      Object.keys(together).map((name) => [
        `test/together/${name}.ts`,
        `import { runTogether } from '#test/helpers/together/run-together.ts';\n\nrunTogether('${name}');\n`,
      ]),
    ),
  );
});

test('what awaits something before it tells its tests has a process to itself', (t) => {
  const awaitsAtItsTop = /^(?:const [^=]+ = )?await /m;
  t.regex('const resample = await loadResampler();', awaitsAtItsTop);
  const ofOthers = Object.keys(together).flatMap((name) => filesTogether(name));
  t.deepEqual(
    ofOthers.filter((path) => awaitsAtItsTop.test(source(path))),
    [],
  );
});
