/**
 * The `ava` of a test file that runs together with others in one process: its tests run one after another, so that no
 * two files are at work at once, and their titles begin with the file that they are of.
 */
import { setImmediate } from 'node:timers/promises';
import ava from 'ava';
import { runningFile, setRunningFile } from './running-file.ts';

type Implementation = (...args: readonly unknown[]) => unknown;

type Macro = {
  exec: Implementation;
  title?: (given: string | undefined, ...values: readonly unknown[]) => string;
};

const isMacro = (value: unknown): value is Macro =>
  typeof value === 'object' && value !== null && 'exec' in value && typeof value.exec === 'function';

const asMacro = (value: unknown, title: unknown): Macro => {
  if (isMacro(value)) return value;
  if (typeof value !== 'function')
    throw new Error(`A test of ${runningFile()} has nothing to run: ${String(title)}`);
  return { exec: (...args) => Reflect.apply(value, undefined, args) };
};

/** Declares a test as `declare` does, of the file that is being read. */
const ofFile =
  (declare: typeof ava.serial | typeof ava.serial.skip | typeof ava.serial.only): Implementation =>
  (...args) => {
    const file = runningFile();
    const given = typeof args[0] === 'string' ? args[0] : undefined;
    const [what, ...values] = given === undefined ? args : args.slice(1);
    const { exec, title } = asMacro(what, given);
    const inFile: Implementation = async (...all) => {
      // Not within the runner's call, whose stack has a line for each test before this one.
      await setImmediate();
      setRunningFile(file);
      await exec(...all);
    };
    Reflect.apply(declare, undefined, [`${file} › ${title?.(given, ...values) ?? given}`, inFile, ...values]);
  };

const inTurn = ofFile(ava.serial);

export default Object.assign(inTurn, {
  serial: inTurn,
  skip: ofFile(ava.serial.skip),
  only: ofFile(ava.serial.only),
  macro: ava.macro,
  before: ava.before,
  after: ava.after,
});
