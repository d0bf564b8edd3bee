/** Real servers for the tests of one file: started before the first of them, ended after the last. */
import test, { type ExecutionContext } from 'ava';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';

const modules: Partial<Record<TrunkCodec, string>> = { G722: 'mod_spandsp', opus: 'mod_opus' };

/** True if the installed FreeSWITCH lacks this codec; the test, which passes then, logs it. */
export const isWithout = async (
  t: ExecutionContext,
  { console }: Pick<SipServers, 'console'>,
  codec: TrunkCodec,
): Promise<boolean> => {
  const module = modules[codec];
  if (module === undefined || (await console(`module_exists ${module}`)).trim() === 'true') return false;
  t.log(`NOT RUN: the FreeSWITCH that is installed has no ${module}`);
  t.pass();
  return true;
};

/**
 * Declares tests that have servers of their own, which `servers` returns while a test runs. If a program is not
 * installed, a single skipped test is declared instead.
 */
export const onRealServers = (about: string, declareTests: (servers: () => SipServers) => void): void => {
  const missing = missingPrograms();
  if (missing.length > 0) {
    test.skip(`${about} on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
    return;
  }
  let running: SipServers | undefined;
  test.before(async () => {
    running = await startServers();
  });
  declareTests(() => {
    if (running === undefined) throw new Error('The servers stand only while tests run');
    return running;
  });
  // Declared last, so that it is the last hook: others check the remaining state of the servers.
  test.serial.after.always(async () => {
    await running?.close();
  });
};
