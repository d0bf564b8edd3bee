/**
 * The rings of the architecture, enforced: who may import whom, who may read the configuration, who may provide the
 * charts with a world, and how files are named. It reads the imports of every TypeScript file.
 */
import { dirname } from 'node:path';
import test from 'ava';
import { readImports, source, sourceFiles as files, type Import as ReadImport } from './helpers/imports.ts';

type Rule = {
  /** Folders whose values and types may be imported. */
  values?: readonly string[];
  /** Folders of which only types may be imported. */
  types?: readonly string[];
  packages?: readonly string[];
  /** Node's own modules; allowed where nothing is said. */
  node?: boolean;
};

/** Every folder that is built; what is not named here may not exist. */
const rules: Readonly<Record<string, Rule>> = {
  machines: { packages: ['xstate'], node: false },
  'src/domain': { types: ['machines'], packages: ['libphonenumber-js'], node: false },
  sip: {
    values: ['machines', 'src/domain'],
    packages: [
      '@echogarden/fvad-wasm',
      '@echogarden/speex-resampler-wasm',
      'drachtio-fsmrf',
      'drachtio-srf',
      'pino',
      'ws',
      'xstate',
      'zod',
    ],
  },
  'src/persistence': {
    values: ['src/domain'],
    types: ['machines'],
    packages: [
      '@mikro-orm/core',
      '@mikro-orm/migrations',
      '@mikro-orm/postgresql',
      'kysely',
      'pg',
      'pino',
      'zod',
    ],
  },
  'src/outgoing': { values: ['src/domain'], packages: ['undici'] },
  'src/agents': {
    values: ['src/domain', 'src/outgoing'],
    types: ['machines'],
    packages: ['@opentelemetry/api', 'pino', 'zod'],
  },
  'src/speech': {
    values: ['src/domain', 'src/outgoing'],
    types: ['sip'],
    packages: ['pino', 'undici', 'ws', 'zod'],
  },
  'src/recordings': {
    values: ['sip', 'src/domain', 'src/persistence'],
    packages: ['pino', 's3mini', 'undici', 'wasm-media-encoders'],
  },
  'src/events': {
    values: ['machines', 'src/domain', 'src/outgoing', 'src/persistence'],
    packages: ['pino', 'xstate'],
  },
  'src/trunks': {
    values: ['src/domain', 'src/persistence'],
    types: ['machines', 'sip'],
    packages: ['pino', 'xstate'],
  },
  'src/cluster': { values: ['src/domain', 'src/persistence'], packages: ['pino', 'undici', 'zod'] },
  'src/calls': {
    values: ['machines', 'src/domain', 'src/persistence'],
    packages: ['@xstate/store', 'pino', 'xstate'],
  },
  /** What can be done to a workspace by the admin API and by the operator's commands. */
  'src/administration': { values: ['src/domain', 'src/events', 'src/persistence'], packages: ['pino'] },
  'src/api': {
    values: ['src/administration', 'src/domain', 'src/events'],
    types: ['src/calls'],
    packages: [
      '@koa/router',
      '@opentelemetry/api',
      'koa',
      'koa-helmet',
      'pino',
      'prom-client',
      'rate-limiter-flexible',
      'zod',
      'zod-openapi',
    ],
  },
  /** The commands' parts; what is typed are the files above them, which read the configuration. */
  'src/commands': {
    values: ['src/administration', 'src/api', 'src/domain', 'src/persistence'],
    packages: ['zod'],
  },
  'src/inspector': { values: ['src/domain'], packages: ['@statelyai/inspect', 'pino', 'ws', 'xstate'] },
  /** Pictures of the charts. */
  'src/charts': { values: ['machines'], packages: ['elkjs', 'xstate'] },
  /** What is published: it runs in browsers and in Node, and needs nothing but its own files. */
  'src/client': { node: false },
  'src/client-generator': { packages: ['prettier', 'zod-openapi'] },
  'src/console': {
    values: ['src/client', 'src/domain'],
    packages: ['@preact/signals', 'preact'],
    node: false,
  },
  /** Metrics, traces, and how busy the event loop is. */
  'src/telemetry': {
    values: ['src/calls', 'src/domain', 'src/persistence'],
    types: ['sip', 'src/agents', 'src/api', 'src/trunks'],
    packages: ['@opentelemetry/api', 'pino', 'prom-client'],
  },
  /** What the composition root is put together from at the start. */
  'src/start': {
    values: [
      'config',
      'sip',
      'src/administration',
      'src/agents',
      'src/api',
      'src/calls',
      'src/charts',
      'src/cluster',
      'src/domain',
      'src/events',
      'src/inspector',
      'src/outgoing',
      'src/persistence',
      'src/recordings',
      'src/speech',
      'src/trunks',
    ],
    types: ['machines', 'src/telemetry'],
    packages: ['pino', 'zod'],
  },
  /** drachtio-server and FreeSWITCH as child processes, for the command that starts them. */
  'src/servers': { values: ['sip'], types: ['config'] },
  /** The files beside the composition root: its clock, its log, its version. */
  src: { types: ['src/domain'], packages: ['pino', 'pino-pretty', 'zod'] },
  config: { packages: ['vite', 'zod'] },
};

/** The composition root and the commands, which alone read the configuration; tests and benchmarks. */
const unruled = [
  'src/commands/admin.ts',
  'src/commands/generate-charts.ts',
  'src/commands/generate-client.ts',
  'src/commands/servers.ts',
  'src/commands/trunk-check.ts',
  'src/commands/try-agent.ts',
  'src/gateway.ts',
  'src/main.ts',
  'test',
  'bench',
];

const mayProvide = ['src/gateway.ts', 'test', 'bench'];

/** A chart is one file, so that the Stately editor can open it: its length is the number of its states and arrows. */
const charts = ['machines/call.ts', 'machines/conversation.ts', 'machines/trunk.ts'];

/** As long as the API is. */
const generated = 'src/client/schema.ts';

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

const folders = [...unruled, ...Object.keys(rules).filter((folder) => folder !== 'src')];
const folderOf = (path: string): string => folders.find((folder) => isIn(folder, path)) ?? dirname(path);

type Import = Omit<ReadImport, 'inside'> & { folder: string | undefined };

const importsOf = (path: string): Import[] =>
  readImports(path).map(({ inside, ...others }) => ({
    ...others,
    folder: inside === undefined ? undefined : folderOf(inside),
  }));

const imports = files.flatMap(importsOf);

const packageName = (to: string): string =>
  to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');

/** Why this import breaks the table, or undefined. */
const breach = ({ from, to, folder, isType }: Import): string | undefined => {
  const own = folderOf(from);
  if (unruled.includes(own)) return undefined;
  const rule = rules[own];
  if (rule === undefined) return `${from} lies in no folder of the architecture`;
  if (folder === undefined) {
    const isAllowed = to.startsWith('node:') ? rule.node !== false : rule.packages?.includes(packageName(to));
    return isAllowed === true ? undefined : `${from} imports ${to}`;
  }
  if (folder === own || rule.values?.includes(folder) === true) return undefined;
  if (rule.types?.includes(folder) === true)
    return isType ? undefined : `${from} imports more than types from ${to}`;
  return `${from} imports ${to}`;
};

/** Without comments and texts, so that only what runs is looked at. */
const code = (path: string): string =>
  source(path).replaceAll(/\/\*.*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'/gs, '');

test('the imports of all files can be read', (t) => {
  t.true(files.length > 20);
  for (const path of ['machines/call.ts', 'src/domain/phone-number.ts', 'test/architecture.test.ts'])
    t.true(
      imports.some(({ from }) => from === path),
      path,
    );
  t.deepEqual(
    importsOf('machines/call.ts').map(({ to, folder, isType }) => [to, folder, isType]),
    [
      ['xstate', undefined, false],
      ['./call-context.ts', 'machines', false],
      ['./conversation.ts', 'machines', false],
      ['./conversation-context.ts', 'machines', true],
      ['./facts.ts', 'machines', true],
      ['./line.ts', 'machines', false],
      ['./outcome.ts', 'machines', true],
    ],
  );
});

const forbidden = test.macro<[string, string, boolean]>({
  exec: (t, from, to, isType) =>
    t.not(
      breach({
        from,
        to,
        isType,
        isRelative: false,
        folder: to.startsWith('#') ? folderOf(to.slice(1)) : undefined,
      }),
      undefined,
    ),
  title: (_, from, to, isType) => `${from} may not import ${isType ? 'types of ' : ''}${to}`,
});

test(forbidden, 'machines/call.ts', 'node:crypto', false);
test(forbidden, 'machines/call.ts', '#src/domain/clock.ts', true);
test(forbidden, 'src/domain/kickoff.ts', '#machines/outcome.ts', false);
test(forbidden, 'src/domain/kickoff.ts', 'zod', false);
test(forbidden, 'sip/lines.ts', '#src/api/app.ts', true);
test(forbidden, 'src/agents/webhook.ts', '#machines/call.ts', false);
test(forbidden, 'src/agents/webhook.ts', '#sip/lines.ts', true);
test(forbidden, 'src/speech/flite.ts', '#machines/line.ts', true);
test(forbidden, 'src/calls/journal/journal.ts', 'koa', false);
test(forbidden, 'src/api/app.ts', '@mikro-orm/core', true);
test(forbidden, 'src/api/app.ts', '#src/persistence/database.ts', true);
test(forbidden, 'src/api/app.ts', '#src/calls/stored-calls.ts', false);
test(forbidden, 'src/api/app.ts', '#machines/line.ts', true);
test(forbidden, 'src/api/app.ts', '#config/config.ts', true);
test(forbidden, 'src/calls/journal/journal.ts', '#config/policy.ts', false);
test(forbidden, 'src/client/client.ts', '#src/domain/refusal.ts', true);
test(forbidden, 'src/client/client.ts', 'zod', false);
test(forbidden, 'src/client/client.ts', 'node:http', false);
test(forbidden, 'src/strays/one.ts', 'node:fs', false);

test('no file imports what its folder may not', (t) => {
  t.deepEqual(
    imports.map(breach).filter((reason) => reason !== undefined),
    [],
  );
});

test('paths between folders go through the names of package.json, relative paths stay in their folder', (t) => {
  const strays = imports.filter(
    ({ from, folder, isRelative }) =>
      isRelative && !unruled.includes(folderOf(from)) && folder !== folderOf(from),
  );
  t.deepEqual(
    strays.map(({ from, to }) => `${from} → ${to}`),
    [],
  );
});

test('no two folders depend on each other, not even by way of others', (t) => {
  const uses = new Map<string, Set<string>>();
  for (const { from, folder } of imports) {
    const own = folderOf(from);
    if (folder === undefined || folder === own || unruled.includes(own)) continue;
    uses.set(own, (uses.get(own) ?? new Set()).add(folder));
  }
  const cyclesFrom = (path: readonly string[]): string[] =>
    [...(uses.get(path.at(-1) ?? '') ?? [])].flatMap((next) =>
      path.includes(next) ? [[...path, next].join(' → ')] : cyclesFrom([...path, next]),
    );
  t.deepEqual(
    [...uses.keys()].flatMap((folder) => cyclesFrom([folder])),
    [],
  );
});

test('the charts get their world in the composition root alone', (t) => {
  const providers = files.filter((path) => code(path).includes('.provide('));
  t.deepEqual(
    providers.filter((path) => !mayProvide.some((folder) => isIn(folder, path))),
    [],
  );
});

test('the charts do nothing by themselves: no clock, no network, no log, no chance', (t) => {
  const outside =
    /\b(Date|performance|console|fetch|set(Timeout|Interval|Immediate)|queueMicrotask|process|globalThis|crypto|Math\.random|await|async|Promise)\b/;
  t.regex('setTimeout(() => {}, 1)', outside);
  for (const path of files.filter((path) => isIn('machines', path))) t.notRegex(code(path), outside, path);
});

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

test('no file is longer than 300 lines, but for the charts and what is generated', (t) => {
  const long = files
    .filter((path) => !isIn('test', path) && !isIn('bench', path))
    .filter((path) => !charts.includes(path) && path !== generated)
    .map((path) => [path, source(path).split('\n').length - 1] as const)
    .filter(([, lines]) => lines > 300);
  t.deepEqual(long, []);
});
