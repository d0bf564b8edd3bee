/** Starts `doomed-gateway.ts`, a gateway in a process of its own that a test kills. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import type { StoredLeg } from '#src/domain/sip-leg.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { ownLinePorts } from './ports.ts';
import { until } from './real-lines.ts';
import type { SipServers } from './sip-servers.ts';

const program = fileURLToPath(new URL('doomed-gateway.ts', import.meta.url));

export type DoomedGateway = {
  /** Resolves when the call of the process was answered. */
  answered(): Promise<void>;
  /** Kills the process; resolves when the process has ended, to the leg that it stored last. */
  kill(): Promise<StoredLeg>;
  /** Kills a process whose call may have no leg yet. */
  killEarly(): Promise<void>;
};

/** Starts the process, whose lines have the ports of this test file. The process ends with the test. */
export const startDoomedGateway = async (
  t: ExecutionContext,
  { drachtio, freeSwitch }: Pick<SipServers, 'drachtio' | 'freeSwitch'>,
  call: { trunkPort: number; media?: TrunkMedia; encrypted?: 'udp' | 'tls' },
): Promise<DoomedGateway> => {
  const options = JSON.stringify({ drachtio, freeSwitch, ports: await ownLinePorts(), ...call });
  const gateway = spawn(process.execPath, [program, options], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => gateway.kill('SIGKILL'));
  // Its output is complete then.
  const ended = once(gateway, 'close');
  let said = '';
  gateway.stdout.on('data', (data: Buffer) => (said += data.toString()));
  const kill = async (): Promise<void> => {
    t.is(gateway.exitCode, null, 'the process has not ended by itself');
    gateway.kill('SIGKILL');
    await ended;
  };
  return {
    answered: () => until(() => said.includes('answered\n')),
    async kill() {
      await kill();
      const leg = [...said.matchAll(/^leg (.*)\n/gm)].at(-1);
      if (leg?.[1] === undefined) throw new Error('The process has stored no leg');
      return JSON.parse(leg[1]);
    },
    killEarly: kill,
  };
};
