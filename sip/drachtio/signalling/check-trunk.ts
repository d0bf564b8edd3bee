/**
 * Tries a trunk out: its registration, whether it answers OPTIONS, and a call. A call from a number to itself is to come
 * back from the trunk; it is refused as busy, so that nobody is called and nothing is charged.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk, TrunkCheckStep } from '#src/domain/trunk.ts';
import { TrunkRefusal, type AskTrunk } from '../../trunks/ask-trunk.ts';
import { adviceFor, type CheckedStep } from '../../trunks/check-advice.ts';
import { credentialsOf, inviteTo } from '../../trunks/addressing.ts';
import { createLadder, type Ladder } from '../../trunks/ladder.ts';
import { offerWith } from '../../trunks/media-offer.ts';
import { hangUp } from './attempt.ts';
import type { FarEnd } from './far-ends.ts';
import { invite } from './invite.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { MediaServers } from '../media/servers.ts';
import type { SessionTimes } from './session-timer.ts';

/** Statuses of a callee: the trunk has carried the call. */
const carried: ReadonlySet<number> = new Set([480, 486, 487, 600, 603]);

export const createTrunkCheck = (options: {
  askTrunk: AskTrunk;
  srf: Srf;
  meetFarEnd: () => FarEnd;
  mediaServers: MediaServers;
  country: Country;
  silenceMs: number;
  sessionTimes: SessionTimes;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
}) => {
  const { askTrunk, mediaServers, clock, backgroundTasks, logger } = options;
  /** Numbers that call themselves now, and whether the call has come back. */
  const selfCalls = new Map<string, boolean>();
  const never = new AbortController().signal;

  const failed = (step: CheckedStep, status: number | null, ladder: Ladder): TrunkCheckStep => ({
    step,
    result: 'failed',
    sentence: adviceFor(step, status),
    ladder: ladder.lines(),
  });

  const ask = async (
    step: CheckedStep,
    work: (ladder: Ladder) => Promise<unknown>,
    ok: string,
  ): Promise<TrunkCheckStep> => {
    const ladder = createLadder(() => clock.now());
    try {
      await work(ladder);
      return { step, result: 'ok', sentence: ok, ladder: ladder.lines() };
    } catch (error) {
      logger.debug({ err: error }, 'a step of the check of a trunk failed');
      return failed(step, error instanceof TrunkRefusal ? error.status : null, ladder);
    }
  };

  const call = async (trunk: Trunk, from: string, to: string): Promise<TrunkCheckStep> => {
    const ladder = createLadder(() => clock.now());
    const done = (sentence: string): TrunkCheckStep => ({
      step: 'call',
      result: 'ok',
      sentence,
      ladder: ladder.lines(),
    });
    const endpoint = await mediaServers.createEndpoint(undefined, trunk.srtp);
    if (from === to) selfCalls.set(to, false);
    try {
      let rang = false;
      const invitation = invite({
        ...options,
        ...inviteTo(trunk, { from, to }, options.country),
        ...credentialsOf(trunk),
        offer: offerWith(endpoint.localSdp, trunk.codecs),
        channel: endpoint.channel,
        ladder,
        onRinging() {
          rang = true;
          invitation.cancel();
          ladder.sent('CANCEL');
        },
      });
      const invited = await invitation.outcome;
      if (invited.answered) {
        ladder.sent('ACK');
        ladder.sent('BYE');
        backgroundTasks.add('BYE', () => hangUp(invited));
        return done('The call was answered, and hung up at once.');
      }
      if (selfCalls.get(to) === true)
        return done('The call went out and came back in: both directions work.');
      const { status } = invited.failed;
      if (rang || (status !== null && carried.has(status)))
        return done(
          from === to
            ? 'The trunk carried the call, but it did not come back: check where the provider routes this number.'
            : 'The trunk carried the call.',
        );
      return failed('call', status, ladder);
    } finally {
      selfCalls.delete(to);
      backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
    }
  };

  return {
    /** Whether this arrival is a call of a check that came back; it is to be refused as busy. */
    isOwnCall({ from, to }: { from: string; to: string }): boolean {
      if (from !== to || !selfCalls.has(to)) return false;
      selfCalls.set(to, true);
      return true;
    },

    /** Numbers in domestic format; the same twice for a call that is to come back. */
    async check(trunk: Trunk, { from, to }: { from: string; to: string }): Promise<TrunkCheckStep[]> {
      const registration: TrunkCheckStep = trunk.register
        ? await ask(
            'registration',
            (ladder) => askTrunk.register(trunk, never, ladder),
            'The trunk took the registration.',
          )
        : {
            step: 'registration',
            result: 'skipped',
            sentence: 'This trunk is not registered at.',
            ladder: [],
          };
      return [
        registration,
        await ask('options', (ladder) => askTrunk.check(trunk, never, ladder), 'The trunk answers.'),
        await call(trunk, from, to),
      ];
    },
  };
};

export type TrunkCheck = ReturnType<typeof createTrunkCheck>;
