/** Checks that pages agree with each other and with the code: links, commands, names and complete tables. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { z } from 'zod';
import { agentTimes, deliveryPolicy, requestLimits, streamsPerKey } from '#config/policy.ts';
import { serverSettings } from '#config/server-settings.ts';
import { settings } from '#config/settings.ts';
import { routes } from '#src/api/routes.ts';
import { agentTypes } from '#src/domain/agent-binding.ts';
import { eventTypes } from '#src/domain/event-types.ts';
import { refusalCatalogue } from '#src/domain/refusal.ts';
import { rotationMs } from '#src/events/endpoint-secret.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = globSync('{*.md,{config,guides,machines,bench,examples,sip,src,test}/**/*.md}', {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
});

/** Anchors of the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link points to an existing file and heading', (t) => {
  t.true(pages.length > 15);
  for (const page of pages)
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      t.true(existsSync(join(root, path)), `${page}: ${target}`);
      if (anchor !== undefined) t.true(anchorsOf(read(path)).includes(anchor), `${page}: ${target}`);
    }
});

test('no page contains merge conflict markers', (t) => {
  for (const page of pages) t.notRegex(read(page), /^[\s>\\]*(?:<{7}|={7}$|(?:> ?){7})/m, page);
});

test('every test file that a page names exists', (t) => {
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => ({ page, path })),
  );
  t.true(named.length > 40);
  for (const { page, path } of named) t.true(existsSync(join(root, path)), `${page}: ${path}`);
});

test('every guide and example is linked from the README, directly or through other pages', (t) => {
  const found = new Set(['README.md']);
  for (const page of found)
    for (const [, file = ''] of read(page).matchAll(/\]\(([^)#:\s]+\.md)[^)]*\)/g))
      found.add(relative('.', join(dirname(page), file)));
  for (const page of pages.filter((path) => /^(guides|examples)\//.test(path))) t.true(found.has(page), page);
  for (const type of agentTypes) t.true(found.has(`examples/${type.replace('_', '-')}/README.md`), type);
});

test('every setting that a page names exists', (t) => {
  const known = new Set([settings, serverSettings].flatMap(({ shape }) => Object.keys(shape)));
  known.add('GW_TEST_DATABASE_URL');
  for (const page of pages)
    for (const [name] of read(page).matchAll(/\bGW_[A-Z\d_]+\b/g))
      t.true(known.has(name), `${page}: ${name}`);
});

const cells = (page: string): string[][] =>
  [...page.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));

const quoted = (cell: string | undefined): string | undefined => /^`([^`]+)`$/.exec(cell ?? '')?.[1];

test('the table of settings lists every setting with its default', (t) => {
  const rows = cells(read('guides/settings.md')).filter(([name]) => name?.startsWith('`GW_'));
  t.deepEqual(rows.map(([name]) => quoted(name) ?? '').sort(), Object.keys(settings.shape).sort());
  for (const [name, value] of rows) {
    const [setting = '', standard] = [quoted(name), quoted(value)];
    if (standard !== undefined)
      t.deepEqual(settings.parse({ [setting]: standard }), settings.parse({}), setting);
  }
});

test('the table of errors lists every code with its status, sorted by status', (t) => {
  const rows = cells(read('guides/errors.md')).filter(([, status]) => /^\d{3}$/.test(status ?? ''));
  t.deepEqual(
    Object.fromEntries(rows.map(([code, status]) => [quoted(code), Number(status)])),
    Object.fromEntries(Object.entries(refusalCatalogue).map(([code, { status }]) => [code, status])),
  );
  const statuses = rows.map(([, status]) => Number(status));
  t.deepEqual(
    statuses,
    statuses.toSorted((one, other) => one - other),
  );
  t.true(rows.every((row) => row.length === 4 && row.every((cell) => cell !== '')));
});

test('the table of events lists every event type', (t) => {
  const rows = cells(read('guides/events.md')).map(([type]) => quoted(type));
  t.deepEqual(
    rows.filter((type) => type !== undefined),
    [...eventTypes],
  );
});

const spoken = (seconds: number): string =>
  seconds % 3_600 === 0
    ? `${seconds / 3_600} h`
    : seconds % 60 === 0
      ? `${seconds / 60} min`
      : `${seconds} s`;

test('pages state the limits and times of the code', (t) => {
  const events = read('guides/events.md');
  const delays = deliveryPolicy.scheduleSec.slice(1).map(spoken);
  t.true(
    events.includes(`after ${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}, each up to a fifth later`),
  );
  t.is(deliveryPolicy.jitter * 5, 1);
  t.is(deliveryPolicy.scheduleSec.length, 9, 'after the ninth failure');
  t.true(events.includes(`within ${deliveryPolicy.timeoutMs / 1_000} seconds`));
  t.is(rotationMs, 24 * 3_600_000, 'both sign for 24 hours');
  const { connectMs, firstTokenMs, wholeReplyMs } = agentTimes;
  const [connect, first, whole] = [connectMs, firstTokenMs, wholeReplyMs].map((ms) => ms / 1_000);
  const times = `${connect} seconds to connect, ${first} to the first words, ${whole} for the whole reply`;
  t.true(read('examples/README.md').includes(times));
  const errors = read('guides/errors.md');
  t.true(errors.includes(`larger than ${requestLimits.bodyBytes / 1024} kB`));
  t.is(streamsPerKey, 20);
  t.true(errors.includes('twenty streams'));
});

type Command = { page: string; method: string; path: string; body: string | undefined };

/** Requests to the gateway in the shell blocks of a page. */
const commandsOf = (page: string): Command[] =>
  [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) =>
      block
        .replaceAll('\\\n', ' ')
        .replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' '))
        .split(/\n|; /),
    )
    .flatMap((line) => {
      const path = /\bcurl .*\$GATEWAY_URL(\/[^"\s?|)]*)/.exec(line)?.[1];
      if (path === undefined) return [];
      const body = / -d '([^']*)'/.exec(line)?.[1];
      const method = / -X (\w+)/.exec(line)?.[1] ?? (body === undefined ? 'GET' : 'POST');
      return [{ page, method, path: path.replaceAll(/\$\w+/g, '7'), body }];
    });

const routeOf = ({ method, path }: Pick<Command, 'method' | 'path'>) =>
  routes.find(
    (route) =>
      route.method === method.toLowerCase() &&
      new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );

/** Request bodies that are invalid on purpose: the page shows the error. */
const mistakes = new Set(['{"to": "+821012345678"}']);

test('the API accepts every curl request of a page', (t) => {
  const commands = pages.flatMap(commandsOf);
  t.true(commands.length > 40, String(commands.length));
  for (const command of commands) {
    const route = routeOf(command);
    const shown = `${command.page}: ${command.method} ${command.path}`;
    t.truthy(route, shown);
    if (command.body === undefined || mistakes.has(command.body)) continue;
    const parsed = route?.body?.safeParse(JSON.parse(command.body));
    t.true(parsed?.success, `${shown} ${command.body}: ${parsed?.error?.message}`);
  }
});

test('commands of a page take the address of the gateway and its credentials from variables', (t) => {
  const known = /\$(GATEWAY_URL|NUMBER_KEY|ADMIN_TOKEN|NUMBER_ID)\b/;
  for (const page of pages) {
    const blocks = [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
    for (const block of blocks) {
      t.notRegex(block, /curl [^\n]*127\.0\.0\.1:8080|\bsed /, page);
      t.false(/dev-credentials\.json/.test(block) && known.test(block), page);
    }
    if (blocks.some((block) => known.test(block))) {
      t.regex(read(page), /npm run --silent credentials|before you begin|With the address/, page);
    }
  }
});

test('every API operation that a page names exists', (t) => {
  let count = 0;
  for (const page of pages)
    for (const [, method = '', path = ''] of read(page).matchAll(
      /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}.-]+)/g,
    )) {
      if (!path.startsWith('/api/v1/') && path !== '/readyz') continue;
      count += 1;
      t.truthy(routeOf({ method, path: path.replaceAll(/\{\w+\}/g, '7') }), `${page}: ${method} ${path}`);
    }
  t.true(count > 8, String(count));
});

test('the page of each agent type shows how to bind an agent of that type', (t) => {
  const binding = z.object({ agent_type: z.string() });
  for (const type of agentTypes) {
    const bodies = commandsOf(`examples/${type.replace('_', '-')}/README.md`)
      .filter(({ method }) => method === 'PUT')
      .map(({ body = '' }) => binding.parse(JSON.parse(body)).agent_type);
    t.deepEqual([...new Set(bodies)], [type]);
  }
});
