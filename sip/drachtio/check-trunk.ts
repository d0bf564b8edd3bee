/**
 * Checks a trunk: registration, response to OPTIONS, and a call. A call from a number to itself should return from the
 * trunk. The gateway refuses the returning call as busy, so that no telephone rings and the call costs nothing.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { type Trunk, type TrunkCheckStep, addressesOf, addressName } from '#src/domain/trunk.ts';
import { inviteTo, targetAt } from '../trunks/addressing.ts';
import { TrunkRefusal, type OutOfDialogRequests } from '../trunks/out-of-dialog-requests.ts';
import { adviceFor, type CheckedStep } from '../trunks/check-advice.ts';
import { createLadder, type Ladder } from '../trunks/ladder.ts';
import { offerWith } from '#sip/sdp/media-offer.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { Carriers } from '../carriers.ts';
import { hangUp } from './leg.ts';
import type { TrackedLeg } from './resume/leg-tracker.ts';
import { invite, type Invited } from './invite.ts';
import { onTerms } from './dialog/negotiate.ts';
import type { SessionTimes } from './dialog/session-timer.ts';

/** Statuses that come from a callee, and so show that the trunk has carried the call. */
const carried: ReadonlySet<number> = new Set([480, 486, 487, 600, 603]);

const passed = (step: CheckedStep, sentence: string, ladder: Ladder): TrunkCheckStep => ({
  step,
  result: 'ok',
  sentence,
  ladder: ladder.lines(),
});

const failed = (step: CheckedStep, status: number | null, ladder: Ladder): TrunkCheckStep => ({
  step,
  result: 'failed',
  sentence: adviceFor(step, status),
  ladder: ladder.lines(),
});

const notRegistered: TrunkCheckStep = {
  step: 'registration',
  result: 'skipped',
  sentence: 'This trunk is not registered at.',
  ladder: [],
};

/** Parties of a check call, in domestic format. */
type CheckCall = { from: string; to: string };

/** Result of the check call. `rang`: a telephone rang, and the call was cancelled. */
type CheckedCall = { invited: Invited; rang: boolean };

/**
 * Returns the result of the step for the check call. `cameBack`: the call to the same number arrived at this gateway.
 */
const verdictOf = (
  { invited, rang }: CheckedCall,
  { from, to }: CheckCall,
  cameBack: boolean,
  ladder: Ladder,
): TrunkCheckStep => {
  const done = (sentence: string): TrunkCheckStep => passed('call', sentence, ladder);
  if (invited.answered) return done('The call was answered, and hung up at once.');
  if (cameBack) return done('The call went out and came back in: both directions work.');
  const { status } = invited.failed;
  if (!rang && (status === null || !carried.has(status))) return failed('call', status, ladder);
  return done(
    from === to
      ? 'The trunk carried the call, but it did not come back: check where the provider routes this number.'
      : 'The trunk carried the call.',
  );
};

export type TrunkCheckOptions = {
  outOfDialog: OutOfDialogRequests;
  srf: Srf;
  trackLeg: () => TrackedLeg;
  carriers: Pick<Carriers, 'problem' | 'createEndpoint' | 'termsFor'>;
  country: Country;
  silenceMs: number;
  sessionTimes: SessionTimes;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/**
 * Places the check call, and ends it as soon as a telephone rings or answers. If the trunk has several addresses, the
 * first one is called.
 */
const callOnce = async (
  trunk: Trunk,
  call: CheckCall,
  endpoint: MediaEndpoint,
  ladder: Ladder,
  options: TrunkCheckOptions,
): Promise<CheckedCall> => {
  let rang = false;
  const [address = trunk] = addressesOf(trunk).toSorted((one, other) => one.priority - other.priority);
  const invitation = invite({
    ...options,
    ...inviteTo(trunk, targetAt(trunk, address, call.to, options.country), call.from, options.country),
    offer: offerWith(endpoint.localSdp, trunk),
    endpoint: onTerms(endpoint, options.carriers.termsFor(trunk)),
    trunkId: trunk.id,
    channel: endpoint.channel(),
    ladder,
    onProgress() {
      rang = true;
      invitation.cancel();
      ladder.sent('CANCEL');
    },
  });
  const invited = await invitation.outcome;
  if (invited.answered) {
    ladder.sent('ACK');
    ladder.sent('BYE');
    options.backgroundTasks.add('BYE', () => hangUp(invited));
  }
  return { invited, rang };
};

export const createTrunkCheck = (options: TrunkCheckOptions) => {
  const { outOfDialog, carriers, clock, backgroundTasks, logger } = options;
  /** Numbers whose call to themselves is in progress, and whether that call has arrived. */
  const selfCalls = new Map<string, boolean>();
  const never = new AbortController().signal;

  const startLadder = (): Ladder => createLadder(() => clock.now());

  const ask = async (
    step: CheckedStep,
    work: (ladder: Ladder) => Promise<unknown>,
    ok: string,
  ): Promise<TrunkCheckStep> => {
    const ladder = startLadder();
    try {
      await work(ladder);
      return passed(step, ok, ladder);
    } catch (error) {
      logger.debug({ err: error }, 'a step of a trunk check failed');
      return failed(step, error instanceof TrunkRefusal ? error.status : null, ladder);
    }
  };

  const tryCall = async (trunk: Trunk, call: CheckCall): Promise<TrunkCheckStep> => {
    const { from, to } = call;
    const ladder = startLadder();
    const obstacle = carriers.problem(trunk);
    if (obstacle !== null)
      return { step: 'call', result: 'failed', sentence: obstacle.sentence, ladder: ladder.lines() };
    const endpoint = await carriers.createEndpoint(undefined, trunk);
    if (from === to) selfCalls.set(to, false);
    try {
      const called = await callOnce(trunk, call, endpoint, ladder, options);
      return verdictOf(called, call, selfCalls.get(to) === true, ladder);
    } finally {
      selfCalls.delete(to);
      backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
    }
  };

  const askAddresses = (trunk: Trunk): Promise<TrunkCheckStep[]> => {
    const addresses = addressesOf(trunk);
    return Promise.all(
      addresses.map((address) => {
        const who = addresses.length === 1 ? 'The trunk' : `The address ${addressName(address)}`;
        const sendOptions = (ladder: Ladder): Promise<unknown> =>
          outOfDialog.check(trunk, never, { ladder, address });
        return ask('options', sendOptions, `${who} answers.`);
      }),
    );
  };

  return {
    /** Whether this arrival is a returning check call, which must be refused as busy. */
    isOwnCall({ from, to }: CheckCall): boolean {
      if (from !== to || !selfCalls.has(to)) return false;
      selfCalls.set(to, true);
      return true;
    },

    /** Checks a trunk. The numbers are in domestic format, and equal for a call that should come back. */
    async check(trunk: Trunk, call: CheckCall): Promise<TrunkCheckStep[]> {
      const register = (ladder: Ladder): Promise<unknown> => outOfDialog.register(trunk, never, ladder);
      return [
        trunk.register
          ? await ask('registration', register, 'The trunk took the registration.')
          : notRegistered,
        ...(await askAddresses(trunk)),
        await tryCall(trunk, call),
      ];
    },
  };
};

export type TrunkCheck = ReturnType<typeof createTrunkCheck>;
