/**
 * Reads the events of an AVA run and sends the relevant ones to a listening parent process (`run-suite.ts`). AVA calls
 * this module by `observeRun` of `ava.config.js`. AVA types only some of its events, so each is parsed.
 */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { wholeFile, type RunMessage } from './run-messages.ts';
import { ownTitle } from './titles-together.ts';

const error = z.object({ message: z.string().catch(''), formattedDetails: z.unknown().optional() });
const details = z.array(z.object({ label: z.string(), formatted: z.string() })).catch([]);
const testFile = z.string();

const seen = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stats'), stats: z.object({ files: z.number() }) }),
  z.object({ type: z.literal('starting'), testFile }),
  z.object({ type: z.literal('test-passed'), testFile, title: z.string(), duration: z.number() }),
  z.object({ type: z.literal('test-failed'), testFile, title: z.string(), err: error }),
  z.object({ type: z.literal('hook-failed'), testFile, title: z.string(), err: error }),
  z.object({ type: z.literal('selected-test'), testFile, title: z.string(), skip: z.boolean() }),
  z.object({ type: z.literal('uncaught-exception'), testFile, err: error }),
  z.object({ type: z.literal('unhandled-rejection'), testFile, err: error }),
  z.object({ type: z.literal('internal-error'), testFile: testFile.optional(), err: error }),
  z.object({ type: z.literal('shared-worker-error'), err: error }),
  z.object({ type: z.literal('missing-ava-import'), testFile }),
  z.object({ type: z.literal('process-exit'), testFile }),
  z.object({ type: z.literal('worker-failed'), testFile, err: error.optional() }),
  z.object({ type: z.literal('worker-finished'), testFile }),
  z.object({
    type: z.literal('timeout'),
    period: z.number(),
    pendingTests: z.map(testFile, z.set(z.string())),
  }),
]);

type Seen = z.infer<typeof seen>;

/** The message and AVA's description of the values; one line. */
const messageOf = (err: z.infer<typeof error> | undefined): string => {
  if (err === undefined) return 'exited with an error';
  const values = details.parse(err.formattedDetails).flatMap(({ label, formatted }) => [label, formatted]);
  return stripVTControlCharacters([err.message, ...values].join(' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
};

/** Zero or more messages for one event. */
export const messagesOf = (event: unknown, projectFolder: string): RunMessage[] => {
  const parsed = seen.safeParse(event);
  if (!parsed.success) return [];
  const data: Seen = parsed.data;
  const pathOf = (path: string | undefined): string =>
    path === undefined ? '(AVA)' : relative(projectFolder, path.replace(/^file:\/\//, ''));
  const failed = (path: string | undefined, title: string, message: string): RunMessage[] => [
    { type: 'failed', ...ownTitle(pathOf(path), title), message },
  ];
  switch (data.type) {
    case 'stats':
      return [{ type: 'planned', files: data.stats.files }];
    case 'starting':
      return [{ type: 'started', file: pathOf(data.testFile) }];
    case 'test-passed':
      return [
        {
          type: 'passed',
          ...ownTitle(pathOf(data.testFile), data.title),
          thread: pathOf(data.testFile),
          ms: data.duration,
        },
      ];
    case 'test-failed':
    case 'hook-failed':
      return failed(data.testFile, data.title, messageOf(data.err));
    case 'selected-test':
      return data.skip ? [{ type: 'skipped', ...ownTitle(pathOf(data.testFile), data.title) }] : [];
    case 'uncaught-exception':
    case 'unhandled-rejection':
    case 'internal-error':
      return failed(data.testFile, wholeFile, `${data.type}: ${messageOf(data.err)}`);
    case 'shared-worker-error':
      return failed(undefined, 'shared worker', messageOf(data.err));
    case 'worker-failed':
      return failed(data.testFile, wholeFile, messageOf(data.err));
    case 'missing-ava-import':
      return failed(data.testFile, wholeFile, 'declares no tests');
    case 'process-exit':
      return failed(data.testFile, wholeFile, 'called process.exit()');
    case 'worker-finished':
      return [{ type: 'finished', file: pathOf(data.testFile) }];
    default:
      // A timeout.
      return [...data.pendingTests].flatMap(([path, titles]) =>
        (titles.size === 0 ? [wholeFile] : [...titles]).flatMap((title) =>
          failed(path, title, `pending after ${data.period} ms without any test that completed`),
        ),
      );
  }
};

/** Set as `observeRun` in AVA's configuration. */
export const observeRun = ({ events }: { events: AsyncIterable<unknown> }): void => {
  if (process.send === undefined) return;
  const send = process.send.bind(process);
  const forward = async (): Promise<void> => {
    for await (const event of events) for (const message of messagesOf(event, process.cwd())) send(message);
  };
  forward().catch((error: unknown) => {
    process.stderr.write(`The run could not be observed: ${String(error)}\n`);
    process.exitCode = 1;
  });
};
