/** Delays, guards and actions of the call chart. */
import { assign, enqueueActions, raise, sendTo, setup } from 'xstate';
import { hideKeys } from './call-actions.ts';
import { secretWanted } from './control.ts';
import {
  failureOf,
  firstCause,
  lastWords,
  outputOf,
  transferOf,
  type CallContext,
  type CallMachineEvent,
  type CallInput,
  type CallOutput,
  type LastWord,
} from './call-context.ts';
import { conversationMachine } from './conversation.ts';
import type { ConversationEvent } from './conversation-context.ts';
import type { CallFact } from './facts.ts';
import { line, type AnsweredBy, type KeysCommand, type LineCommand } from './line.ts';
import type { EndReason } from './outcome.ts';
import type { DtmfMeans } from './media-statistics.ts';
import type { BriefingWritten, TransferFailure, TransferRequest, TransferWanted } from './transfer.ts';

export const callSetup = setup({
  types: {
    input: {} as CallInput,
    context: {} as CallContext,
    events: {} as CallMachineEvent,
    output: {} as CallOutput,
    children: {} as { line: 'line'; conversation: 'conversation' },
    tags: {} as 'ringing' | 'talking' | 'taken-over' | 'transferring' | 'consenting',
  },
  actors: { line, conversation: conversationMachine },
  delays: {
    ringTimeout: ({ context }) => context.input.ringTimeoutSec * 1000,
    transferRing: ({ context }) => transferOf(context).ringTimeoutSec * 1000,
    /** Time in which the far end may report the result of a REFER: the ring time-out plus ten seconds. */
    referWait: ({ context }) => transferOf(context).ringTimeoutSec * 1000 + 10_000,
    /** Time limit for the announcement, in case the line does not report its end. */
    longestAnnouncement: 120_000,
    /** Time limit for the briefing, in case the line does not report its end. */
    longestBriefing: 180_000,
    /** Time in which the person may accept the call, from the end of the briefing. */
    acceptWait: 15_000,
    /** Time limit for connecting both legs, which needs no external server. */
    longestConnecting: 10_000,
    /**
     * Time limit for the end of a cancelled transfer, longer than the timeout of a trunk that does not answer a CANCEL
     * (RFC 3261 section 9.1: 32 seconds).
     */
    longestRecalling: 45_000,
    transferDuration: ({ context }) => {
      const { maxDurationSec, talkedMs } = transferOf(context);
      return Math.max(0, maxDurationSec * 1000 - talkedMs);
    },
    maxDuration: ({ context }) => context.input.maxDurationSec * 1000,
    farewellWait: ({ context }) => context.input.farewellWaitMs,
    hangUpTimeout: ({ context }) => context.input.hangUpTimeoutMs,
    adoptTimeout: ({ context }) => context.input.adoptTimeoutMs,
  },
  guards: {
    isTakenOver: ({ context }) => context.input.takenOver !== null,
    wasBeingEnded: ({ context }) => context.endReason !== null,
    isAnnounced: ({ context }) => transferOf(context).sentences.length > 0,
    isForOtherParty: ({ event }) => event.type === 'transfer.refused' && event.forOtherParty === true,
    isUnrecorded: ({ context }) => !transferOf(context).isRecorded,
    isOfThisTransfer: ({ context, event }) =>
      event.type === 'transfer.briefing_written' && event.transferId === transferOf(context).transferId,
    takesCallByKey: ({ context }) => transferOf(context).acceptKey !== null,
    hasLostTransfer: ({ context }) => context.transfer !== null,
    wasBridged: ({ context }) => context.input.takenOver?.transfer?.state === 'connected',
    hungUpWhileBridged: ({ context }) =>
      context.pendingHangup !== null && context.input.takenOver?.transfer?.state === 'connected',
    eitherHungUp: ({ context, event }) =>
      context.input.takenOver?.transfer?.state === 'connected' &&
      event.type === 'line.ended' &&
      event.by === 'counterparty',
    mustConsent: ({ context }) => context.input.consent !== null,
    awaitedConsent: ({ context }) => context.input.takenOver?.conversation.resumesAs === 'consenting',
    /** Whether the hang-up needs no farewell, because the agent has not spoken yet. */
    hungUpBeforeConsent: ({ context }) =>
      context.pendingHangup !== null && context.input.takenOver?.conversation.resumesAs === 'consenting',
    hangupIsPending: ({ context }) => context.pendingHangup !== null,
    wasLeavingMessage: ({ context }) => context.input.takenOver?.conversation.resumesAs === 'voicemail',
    otherPartyLeft: ({ event }) => event.type === 'line.ended' && event.by === 'counterparty',
    wasCutOff: ({ event }) => event.type === 'line.ended' && event.by === 'network',
    isImmediate: ({ event }) => event.type === 'hangup.requested' && event.immediate,
    isFinal: ({ event }) => event.type === 'hangup.requested' && event.isFinal === true,
    hangupIsFinal: ({ context }) => context.pendingHangup === 'final',
    waitsForFarewell: ({ event }) => event.type === 'hangup.requested' && !event.immediate,
    wantsSecret: ({ event }) => event.type === 'collect.requested' && event.wanted.secret,
    isBackchannel: ({ event }) => event.type === 'line.heard' && event.backchannel,
    /** Whether the conversation must be notified of a detected answerer. Only outbound calls detect one. */
    /** Whether a second answerer follows after call screening. */
    isToBeTold: ({ context: { input, answeredBy }, event }) =>
      input.direction === 'outbound' &&
      event.type === 'line.answered_by' &&
      (answeredBy === null || (answeredBy === 'screening' && event.by !== 'screening')),
    hangsUpOnMachine: ({ context }) =>
      context.answeredBy === 'machine' && context.input.voicemail === 'hang_up',
    isScreened: ({ context }) => context.answeredBy === 'screening' && context.input.screening !== 'hang_up',
    /** Whether a person, or a machine or menu to which the agent talks, has answered after call screening. */
    isBehindScreening: ({ context: { answeredBy, input }, event }) =>
      event.type === 'answerer.known' &&
      event.wasScreened &&
      (answeredBy === 'human' ||
        (answeredBy === 'machine' && input.voicemail === 'talk') ||
        (answeredBy === 'menu' && input.menu !== 'hang_up')),
    hangsUpOnMenu: ({ context }) => context.answeredBy === 'menu' && context.input.menu === 'hang_up',
    hangsUpOnScreening: ({ context }) =>
      context.answeredBy === 'screening' && context.input.screening === 'hang_up',
    leavesMessage: ({ context }) =>
      context.answeredBy === 'machine' && context.input.voicemail === 'leave_message',
    isRecording: ({ context }) => context.input.recording && !context.recordingIsPaused,
    isPausedForSecret: ({ context }) => context.keys.secret?.pausedRecording === true,
    recordingMayGoOn: ({ context }) => context.recordingIsPaused && !context.consentIsAwaited,
    /** Whether a failed transfer ends the call. After a cancelled transfer the call continues. */
    failedTransferEnds: ({ context, event }) =>
      context.transfer?.onFailure === 'hang_up' && failureOf(context, event) !== 'cancelled',
    farewellIsOver: ({ context }) => !context.agentIsBusy,
    nobodyPickedUp: ({ context }) => outputOf(context).status === 'no_answer',
    somethingBroke: ({ context }) => outputOf(context).status === 'failed',
  },
  actions: {
    publish: (_args, _fact: CallFact) => {
      throw new Error('No "publish" was provided to this machine');
    },
    /**
     * Placeholder for the look-up whether a transfer is allowed. Its result is the event `transfer.requested` or
     * `transfer.refused`.
     */
    askForTransfer: (_args, _wanted: TransferWanted) => {
      throw new Error('No "askForTransfer" was provided to this machine');
    },
    end: assign(({ context }, cause: EndReason) => ({ endReason: firstCause(context, cause) })),
    noteLastWord: assign((_, word: LastWord) => lastWords(word)),
    noteHangupPending: assign({ pendingHangup: 'cancellable' }),
    noteFinal: assign(({ event }) =>
      event.type === 'hangup.requested' && event.isFinal === true ? { pendingHangup: 'final' } : {},
    ),
    noteUnseen: assign({ endWasSeen: false }),
    noteAnswered: assign({ wasAnswered: true }),
    noteAnsweredBy: assign((_, { by }: { by: AnsweredBy }) => ({ answeredBy: by })),
    noteDtmf: assign(({ context: { keys } }, { means }: { means: DtmfMeans }) => ({
      keys: { ...keys, canPress: means.sent !== 'none' },
    })),
    leaveScreening: sendTo('conversation', ({ context }): ConversationEvent => ({
      type: 'screening.over',
      consentIsAwaited: context.consentIsAwaited,
    })),
    /** The event is raised before the answerer is stored, because the decision depends on the previous answerer. */
    decideByAnswerer: raise(({ context }) => ({
      type: 'answerer.known' as const,
      wasScreened: context.answeredBy === 'screening',
    })),
    noteTransfer: assign((_, { type: _type, ...asked }: TransferRequest) => ({
      transfer: { ...asked, givenUp: null, talkedMs: 0 },
    })),
    takeBriefing: assign(({ context }, { briefing }: BriefingWritten) => ({
      transfer: { ...transferOf(context), briefing },
    })),
    giveUpTransfer: assign(({ context }, { reason }: { reason: TransferFailure }) => ({
      transfer: { ...transferOf(context), givenUp: reason },
    })),
    /**
     * Pauses the recording for an unrecorded transfer. This action must run after `forgetKeys`, which may resume the
     * recording.
     */
    pauseUnrecorded: enqueueActions(({ context, enqueue }) => {
      if (!transferOf(context).isRecorded) enqueue.raise({ type: 'recording.pause_requested' });
    }),
    forgetTransfer: assign({ transfer: null }),
    returnToAgent: sendTo('conversation', ({ context, event }): ConversationEvent => ({
      type: 'transfer.over',
      reason: failureOf(context, event),
      to: transferOf(context).to,
    })),
    noteBusy: assign({ agentIsBusy: true }),
    noteQuiet: assign({ agentIsBusy: false }),
    notePaused: assign({ recordingIsPaused: true }),
    noteResumed: assign({ recordingIsPaused: false }),
    keepPausedBehindSecret: assign(({ context: { keys } }) => ({
      keys: { ...keys, secret: keys.secret && { ...keys.secret, pausedRecording: false } },
    })),
    /** Pauses the recording, which starts only after the other party agrees. */
    holdRecording: raise({ type: 'recording.pause_requested' }),
    noteConsent: assign({ consentIsAwaited: false }),
    beginRecording: raise({ type: 'recording.resume_requested' }),
    /** Re-applies the recording pause after a take-over. */
    keepPaused: enqueueActions(({ context, enqueue }) => {
      if (context.recordingIsPaused) enqueue.sendTo('line', { type: 'pauseRecording' } satisfies LineCommand);
    }),
    goOn: enqueueActions(({ context, event, enqueue }) => {
      const { takenOver } = context.input;
      const language = takenOver?.conversation.language ?? null;
      if (language !== null)
        enqueue.sendTo('line', { type: 'changeLanguage', language } satisfies LineCommand);
      const secret = takenOver && secretWanted(takenOver.conversation);
      if (secret !== null) enqueue.sendTo('line', hideKeys(secret));
      else if (takenOver?.keysAreHidden === true)
        enqueue.sendTo('line', { type: 'forgetKeys' } satisfies KeysCommand);
      enqueue.sendTo('conversation', event);
    }),
    /** Begins the entry of secret digits, which are excluded from the recording as well. */
    beginSecret: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'collect.requested' && event.type !== 'secret.awaited') return;
      enqueue.sendTo('line', hideKeys(event.wanted));
      if (context.keys.secret !== null) return;
      const pausedRecording = context.input.recording && !context.recordingIsPaused;
      enqueue.assign({ keys: { ...context.keys, secret: { pausedRecording } } });
      if (pausedRecording) enqueue.raise({ type: 'recording.pause_requested' });
    }),
    /**
     * Ends the entry of secret digits and resumes the recording. Digits stay hidden until the next request, because the
     * rest of a secret may still arrive.
     */
    endSecret: enqueueActions(({ context: { keys }, enqueue }, how: KeysCommand) => {
      if (keys.secret === null && how.type !== 'showKeys') return;
      enqueue.sendTo('line', how);
      if (keys.secret === null) return;
      enqueue.assign({ keys: { ...keys, secret: null } });
      if (keys.secret.pausedRecording) enqueue.raise({ type: 'recording.resume_requested' });
    }),
    tellLine: sendTo('line', (_, command: LineCommand) => command),
    tellConversation: sendTo('conversation', (_, event: ConversationEvent) => event),
    forwardToConversation: sendTo('conversation', ({ event }) => event),
  },
});
