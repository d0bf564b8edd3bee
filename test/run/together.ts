/**
 * Several test files in one thread, which loads the modules of a gateway once for all of them. A file of `test/together`
 * imports them and then calls `declareTests`. In a thread of its own, a test file would behave the same: its titles are
 * its own, and its tests that are not serial run beside each other only.
 */
import ava, { type ExecutionContext } from 'ava';
import { callerIn } from './caller-in.ts';
import { noteFile } from './file-in-progress.ts';
import { titleTogether } from './titles-together.ts';
import { createTurns } from './turns.ts';

type Run = (t: ExecutionContext, ...rest: unknown[]) => unknown;
type Declare = (...given: unknown[]) => unknown;
type Macro = { exec: Run; title?: (given: string | undefined, ...rest: unknown[]) => string };

const isRun = (value: unknown): value is Run => typeof value === 'function';

const isDeclare = (value: unknown): value is Declare => typeof value === 'function';

const isMacro = (value: unknown): value is Macro =>
  typeof value === 'object' && value !== null && 'exec' in value;

/** AVA begins with the tests soon after the first was declared, when a file that loads WebAssembly has declared none. */
const declarations: (() => unknown)[] = [];

/** Declares the tests of all files in the order of their imports. */
export const declareTests = (): void => {
  for (const declare of declarations.splice(0)) declare();
};

const turns = createTurns();

const alone =
  (file: string, run: Run): Run =>
  (t, ...rest) => {
    noteFile(file);
    return run(t, ...rest);
  };

const besideOwn =
  (file: string, run: Run): Run =>
  async (t, ...rest) => {
    await turns.begin(file);
    // Registered first so that it runs last.
    t.teardown(turns.end);
    noteFile(file);
    return run(t, ...rest);
  };

// Declarations

/** The arguments of `test(…)` with this file's title and conditions. */
const argumentsFor = (file: string, isSerial: boolean, given: readonly unknown[]): unknown[] => {
  const [first, ...rest] = given;
  const title = typeof first === 'string' ? first : undefined;
  const [implementation, ...parameters] = title === undefined ? given : rest;
  const run = isMacro(implementation) ? implementation.exec : implementation;
  const own = isMacro(implementation) ? (implementation.title?.(title, ...parameters) ?? title) : title;
  // AVA has the message for what is not a test.
  if (own === undefined || !isRun(run)) return [...given];
  const inTurn = isSerial ? alone(file, run) : besideOwn(file, run);
  return [titleTogether(file, own), inTurn, ...parameters];
};

const tests = new Set(['serial', 'skip', 'only', 'failing']);
const hooks = new Set(['before', 'after', 'beforeEach', 'afterEach', 'always']);

const testsFolder = new URL('../', import.meta.url).href;

/** Exceeds the number of frames between a test file and the helper that declares its tests. */
const mostFrames = 30;

const findCaller = (): string => {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = mostFrames;
  const { stack = '' } = new Error('the place of a declaration');
  Error.stackTraceLimit = usual;
  return callerIn(stack, testsFolder);
};

/** `test` or one of its variants. `kind`: how the declared tests run; null for hooks. */
const deferred = <Test extends (...given: never[]) => unknown>(
  declare: Test,
  file: string,
  kind: 'serial' | 'concurrent' | null,
): Test =>
  new Proxy(declare, {
    apply(_, self: unknown, given: unknown[]) {
      const own = file === '' ? findCaller() : file;
      declarations.push(() => {
        Reflect.apply(declare, self, kind === null ? given : argumentsFor(own, kind === 'serial', given));
      });
    },
    get: (_, name) => {
      const value: unknown = Reflect.get(declare, name);
      if (typeof name !== 'string' || !isDeclare(value)) return value;
      if (hooks.has(name)) return deferred(value, file, null);
      if (!tests.has(name)) return value;
      return deferred(value, file, kind !== null && name === 'serial' ? 'serial' : kind);
    },
  });

/** `test` of AVA for one of the files; '' for a helper, whose tests are those of the file that calls it. */
export const testOf = (file: string): typeof ava => deferred(ava, file, 'concurrent');
